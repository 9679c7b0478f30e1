-- SPDX-License-Identifier: MIT
-- title: Every access
-- severity: note
-- columns: channel, operation, subject, outcome, verdict, source, count, processes, process, rule
-- why: a report shows groups; this is what they are made of, and what was declared besides
SELECT c.name, o.name, s.name, a.outcome,
       CASE a.verdict WHEN 0 THEN 'declared' WHEN 1 THEN 'undeclared' WHEN 2 THEN 'waived'
                      ELSE 'unjudged' END,
       CASE a.source WHEN 0 THEN 'shim' ELSE 'witness' END,
       sum(a.count), count(DISTINCT a.process), min(a.process), r.text
FROM judged_access a
JOIN operation o ON o.id = a.operation
JOIN channel c ON c.id = o.channel
JOIN subject s ON s.id = a.subject
LEFT JOIN rule r ON r.id = a.rule
WHERE a.process IN (SELECT id FROM process WHERE run = ?1)
  AND (a.verdict IS NULL OR a.verdict < 3) -- what the witness confirms is there already
GROUP BY c.id, s.name, o.id, a.outcome, a.verdict, a.source, r.id
UNION ALL
SELECT 'environment', 'visible', s.name, 0,
       CASE e.verdict WHEN 0 THEN 'declared' WHEN 1 THEN 'undeclared' WHEN 2 THEN 'waived'
                      ELSE 'unjudged' END,
       'shim', count(*), count(*), min(p.id), r.text
FROM process p
JOIN environment_variable e ON e.run = p.run AND e.block = p.environment
JOIN subject s ON s.id = e.subject
LEFT JOIN rule r ON r.id = e.rule
WHERE p.run = ?1
GROUP BY s.name, e.verdict, r.id
ORDER BY 1, 3, 2, 4
