-- SPDX-License-Identifier: MIT
-- title: Who used what
-- severity: note
-- columns: process, operation, outcome, verdict, first, subject
-- why: a finding sums over processes; this says which of them used which of its names, and when first
SELECT a.process, a.operation, a.outcome, a.verdict,
       a.first - (SELECT monotonic FROM run WHERE id = ?1), s.name
FROM judged_access a
CROSS JOIN subject s ON s.id = a.subject -- in this order, which is that of the processes
WHERE a.process IN (SELECT id FROM process WHERE run = ?1)
  AND (a.verdict IS NULL OR a.verdict IN (1, 2))
ORDER BY a.process
