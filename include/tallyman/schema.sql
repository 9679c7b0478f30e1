-- SPDX-License-Identifier: MIT
--
-- The database of runs. application_id is 'taly' (0x74616c79); user_version is SCHEMA_VERSION of
-- store.h and changes with any change that an older reader would misread.
--
-- Facts are written while the build runs and never changed afterwards. Columns marked "derived" are
-- computed from facts and a manifest by the analyzer and can be computed again at any time.
--
-- Names (paths, arguments, variables) are bytes: stored as TEXT when they are valid UTF-8 without
-- NUL, as BLOB otherwise, hence ANY. Times are nanoseconds of CLOCK_MONOTONIC unless said otherwise.

-- Filled from channels.def and events.def when the database is made.
CREATE TABLE channel (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    title TEXT NOT NULL
) STRICT;

CREATE TABLE operation (
    id INTEGER PRIMARY KEY,               -- enum event_kind
    channel INTEGER REFERENCES channel,   -- NULL: about processes
    class INTEGER NOT NULL,               -- enum access_class
    name TEXT NOT NULL,
    text TEXT NOT NULL
) STRICT;

CREATE TABLE run (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE,            -- 32 hex digits
    tool TEXT NOT NULL,                   -- version of tallyman
    started INTEGER NOT NULL,             -- Unix time in ns
    monotonic INTEGER NOT NULL,           -- CLOCK_MONOTONIC at that moment
    ended INTEGER,                        -- Unix time in ns; NULL: never ended properly
    command TEXT NOT NULL,                -- quoted for sh
    argv BLOB NOT NULL,                   -- arguments, a NUL after each
    cwd ANY NOT NULL,
    root ANY NOT NULL,                    -- what relative manifest paths start from
    home ANY,                             -- the caller's home folder
    user TEXT, host TEXT, machine TEXT,   -- of the supervisor; system name and release in machine
    mode TEXT NOT NULL,                   -- audit, enforce, sandbox
    witness TEXT NOT NULL,                -- off, gaps, full
    manifest ANY,                         -- path of the manifest; NULL: built-in ambient policy
    manifest_text ANY,                    -- its content
    exit_status INTEGER,                  -- as `tallyman run` returned it
    signal INTEGER,                       -- that ended the command, 0 none
    interrupted INTEGER NOT NULL DEFAULT 0, -- signal that the user sent, 0 none
    evidence TEXT                         -- complete, incomplete; NULL: run not ended
) STRICT;

-- One row per image: an exec makes a new row, a fork makes one when the child did something itself.
CREATE TABLE process (
    id INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES run,
    serial INTEGER NOT NULL,              -- the log's process id, unique in the run
    parent INTEGER REFERENCES process,    -- who forked or spawned it; for an exec in place, the image
                                          -- before it. NULL: the first
    how TEXT NOT NULL,                    -- first, exec, spawn, fork, unobserved
    pid INTEGER NOT NULL,                 -- in its own pid namespace
    parent_pid INTEGER NOT NULL,
    exe INTEGER REFERENCES subject,
    argv BLOB,                            -- arguments, a NUL after each; NULL unknown
    command TEXT,                         -- quoted for sh, cut at 4000 bytes
    cwd ANY,
    started INTEGER NOT NULL,
    ended INTEGER,                        -- when its parent was told
    exit_status INTEGER,                  -- 0..255; NULL unknown or killed
    signal INTEGER,                       -- NULL unknown, 0 none
    user_us INTEGER, system_us INTEGER, max_resident_kib INTEGER,
    shim TEXT NOT NULL,                   -- loaded, static, foreign_libc, foreign_abi, secure, stripped
    environment INTEGER,                  -- environment_variable.block
    UNIQUE (run, serial)
) STRICT;
CREATE INDEX process_parent ON process (parent);

-- Everything that can be accessed, once.
CREATE TABLE subject (
    id INTEGER PRIMARY KEY,
    channel INTEGER NOT NULL REFERENCES channel,
    name ANY NOT NULL,                    -- paths: absolute, without "." and "//"; ".." only where it
                                          -- crosses a link
    resolved INTEGER REFERENCES subject,  -- the name that the kernel resolves it to, if another
    package TEXT,                         -- derived: owning package "name version"; '' none
    UNIQUE (channel, name)
) STRICT;

CREATE TABLE access (
    process INTEGER NOT NULL REFERENCES process,
    operation INTEGER NOT NULL REFERENCES operation,
    subject INTEGER NOT NULL REFERENCES subject,
    other INTEGER NOT NULL DEFAULT 0,     -- second subject (rename, link), 0 none
    outcome INTEGER NOT NULL,             -- 0 or errno
    flags INTEGER NOT NULL,               -- RECORD_KEYED bits of record.h
    source INTEGER NOT NULL,              -- 0 shim, 1 witness
    count INTEGER NOT NULL,
    first INTEGER NOT NULL,               -- time of the first occurrence
    hook TEXT NOT NULL,                   -- function that was called first
    summary INTEGER,                      -- derived: access_summary.id; NULL: not summarised
    PRIMARY KEY (process, operation, subject, other, outcome, flags, source)
) STRICT, WITHOUT ROWID;
CREATE INDEX access_subject ON access (subject);

-- Derived, of facts alone and once, when a run has ended: accesses that differ in the process or
-- the second subject alone. What is found out about millions of accesses is found out from these.
CREATE TABLE access_summary (
    id INTEGER PRIMARY KEY,               -- those of a run in the order of the first access
    run INTEGER NOT NULL REFERENCES run,
    operation INTEGER NOT NULL REFERENCES operation,
    subject INTEGER NOT NULL REFERENCES subject,
    outcome INTEGER NOT NULL,
    flags INTEGER NOT NULL,
    source INTEGER NOT NULL,
    made INTEGER NOT NULL,                -- 1: the build had made the thing itself by then
    confirmed INTEGER NOT NULL,           -- 1: of the witness, and the shim has it or it follows from
                                          -- what the process did
    rows INTEGER NOT NULL,                -- of access
    count INTEGER NOT NULL,               -- sum of access.count
    first INTEGER NOT NULL,
    processes BLOB NOT NULL               -- who: analyzer/process_set.h
) STRICT;
CREATE INDEX access_summary_run ON access_summary (run);
CREATE INDEX access_summary_subject ON access_summary (subject);

-- Derived: by the manifest. Processes that an action of the manifest takes; and a verdict for every
-- summary and each action (-1: none) of its processes.
CREATE TABLE process_action (
    process INTEGER PRIMARY KEY REFERENCES process,
    action INTEGER NOT NULL               -- index in the policy block
) STRICT;

CREATE TABLE judgement (
    summary INTEGER NOT NULL REFERENCES access_summary,
    action INTEGER NOT NULL,
    verdict INTEGER NOT NULL,             -- 0 declared, 1 undeclared, 2 waived, 3 confirmed
    rule INTEGER,                         -- rule.id
    PRIMARY KEY (summary, action)
) STRICT, WITHOUT ROWID;

-- Accesses with their verdicts; NULL: not judged.
CREATE VIEW judged_access AS
SELECT a.process, a.operation, a.subject, a.other, a.outcome, a.flags, a.source, a.count, a.first,
       a.hook, a.summary, j.verdict, j.rule
FROM access a
LEFT JOIN process_action x ON x.process = a.process
LEFT JOIN judgement j ON j.summary = a.summary AND j.action = coalesce(x.action, -1);

-- The environments that images were given. Most processes share a few blocks.
CREATE TABLE environment_variable (
    run INTEGER NOT NULL REFERENCES run,
    block INTEGER NOT NULL,               -- hash of the whole block
    subject INTEGER NOT NULL REFERENCES subject,
    hash TEXT,                            -- 16 hex digits, of the value; NULL: looks like a secret
    verdict INTEGER, rule INTEGER,        -- derived
    PRIMARY KEY (run, block, subject)
) STRICT, WITHOUT ROWID;

CREATE TABLE blind_spot (
    run INTEGER NOT NULL REFERENCES run,
    process INTEGER REFERENCES process,
    class TEXT NOT NULL,                  -- a name of blind_spots.def
    detail ANY,
    count INTEGER NOT NULL DEFAULT 1
) STRICT;

-- Files that the build took as inputs, as they were when the run had ended: those that no rule
-- declared, and of the others those that were changed since the run's start. By the name that the
-- kernel resolves a path to.
CREATE TABLE artifact (
    run INTEGER NOT NULL REFERENCES run,
    subject INTEGER NOT NULL REFERENCES subject,
    size INTEGER NOT NULL,                -- bytes
    digest TEXT,                          -- SHA-256, 64 hex digits
    reason TEXT,                          -- why there is none: declared; large (over 1 GiB);
                                          -- unreadable; busy (it changed while it was read)
    changed INTEGER NOT NULL,             -- last change of content or attributes, Unix time in ns
    modified INTEGER NOT NULL,            -- of content, as the file says, which can be set at will
    born INTEGER,                         -- of the file itself; NULL: its file system does not say
    PRIMARY KEY (run, subject)
) STRICT, WITHOUT ROWID;

-- Derived: the manifest's rules as they were when the run was judged.
CREATE TABLE rule (
    id INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES run,
    number INTEGER NOT NULL,              -- index in the policy block
    text TEXT NOT NULL,                   -- as a person reads it
    line INTEGER NOT NULL,                -- in the manifest, 0 built in
    waiver INTEGER NOT NULL DEFAULT 0,    -- 1: from the waivers of the manifest
    used INTEGER NOT NULL DEFAULT 0       -- accesses that it decided
) STRICT;

-- Stable views, for people with a sqlite3 prompt.

-- One row per process, channel, operation and subject.
CREATE VIEW v_access AS
SELECT p.run AS run, p.id AS process, c.name AS channel, o.name AS operation, s.name AS subject,
       r.name AS resolved, t.name AS other, a.outcome AS outcome, a.count AS count, a.first AS first,
       CASE a.source WHEN 0 THEN 'shim' ELSE 'witness' END AS source, a.hook AS hook,
       CASE a.verdict WHEN 0 THEN 'declared' WHEN 1 THEN 'undeclared' WHEN 2 THEN 'waived'
                      WHEN 3 THEN 'confirmed' END AS verdict,
       s.package AS package, p.command AS command
FROM judged_access a
JOIN process p ON p.id = a.process
JOIN operation o ON o.id = a.operation
JOIN channel c ON c.id = o.channel
JOIN subject s ON s.id = a.subject
LEFT JOIN subject r ON r.id = s.resolved
LEFT JOIN subject t ON t.id = a.other
UNION ALL
SELECT p.run, p.id, 'environment', 'visible', s.name, NULL, NULL, 0, 1, p.started,
       CASE p.shim WHEN 'loaded' THEN 'shim' ELSE 'witness' END, 'exec',
       CASE e.verdict WHEN 0 THEN 'declared' WHEN 1 THEN 'undeclared' WHEN 2 THEN 'waived' END,
       NULL, p.command
FROM process p
JOIN environment_variable e ON e.run = p.run AND e.block = p.environment
JOIN subject s ON s.id = e.subject;

-- Undeclared and waived accesses, summed over processes.
CREATE VIEW v_finding AS
SELECT run, channel, operation, subject, outcome, verdict, package, sum(count) AS count,
       count(DISTINCT process) AS processes, min(first) AS first
FROM v_access
WHERE verdict IN ('undeclared', 'waived')
GROUP BY run, channel, operation, subject, outcome, verdict, package;

-- Every process below the first, with its depth and its path of ids for ordering.
CREATE VIEW v_process_tree AS
WITH RECURSIVE tree(id, depth, path) AS (
    SELECT id, 0, printf('%010d', id) FROM process WHERE parent IS NULL
    UNION ALL
    SELECT p.id, t.depth + 1, t.path || '/' || printf('%010d', p.id)
    FROM process p JOIN tree t ON p.parent = t.id
)
SELECT p.run AS run, p.id AS process, t.depth AS depth, p.pid AS pid, p.how AS how,
       substr('                                        ', 1, 2 * t.depth) || p.command AS tree,
       p.exit_status AS exit_status, p.signal AS signal, p.shim AS shim, t.path AS path
FROM tree t JOIN process p ON p.id = t.id;

-- Accesses that found nothing: the build changes when the thing appears.
CREATE VIEW v_probe AS
SELECT run, channel, operation, subject, verdict, sum(count) AS count,
       count(DISTINCT process) AS processes
FROM v_access
WHERE outcome IN (2, 20)                  -- ENOENT, ENOTDIR
  AND verdict IS NOT 'confirmed'
GROUP BY run, channel, operation, subject, verdict;

CREATE VIEW v_artifact AS
SELECT a.run AS run, s.name AS path, a.size AS size, a.digest AS digest, a.reason AS reason,
       s.package AS package, a.changed > r.started AS changed
FROM artifact a JOIN subject s ON s.id = a.subject JOIN run r ON r.id = a.run;

CREATE VIEW v_blind_spot AS
SELECT b.run AS run, b.class AS class, b.detail AS detail, b.count AS count, b.process AS process,
       p.command AS command
FROM blind_spot b LEFT JOIN process p ON p.id = b.process;
