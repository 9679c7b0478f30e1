-- SPDX-License-Identifier: MIT
-- title: Who used what
-- severity: note
-- columns: process, operation, outcome, verdict, first, subject
-- why: a finding sums over processes; this says which of them used which of its names, and when first
SELECT a.process, a.operation, a.outcome, a.verdict, a.first - r.monotonic, s.name
FROM access a
JOIN process p ON p.id = a.process
JOIN run r ON r.id = p.run
JOIN subject s ON s.id = a.subject
WHERE p.run = ?1
  AND (a.verdict IS NULL OR a.verdict IN (1, 2))
ORDER BY a.process
