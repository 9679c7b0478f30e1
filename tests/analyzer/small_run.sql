-- SPDX-License-Identifier: MIT
--
-- A run with three processes, make -> sh -> cc1, and a way to write an access as one row:
--   INSERT INTO event (process, channel, operation, subject) VALUES (3, 'filesystem', 'read', '/x');
-- outcome, flags, first, count and source may be given; INSERT INTO resolves VALUES (name, target)
-- says what a path leads to.
INSERT INTO run (id, uuid, tool, started, monotonic, ended, command, argv, cwd, root, home, user, host,
                 machine, mode, witness, exit_status, signal, evidence)
VALUES (1, '00112233445566778899aabbccddeeff', '0.1.0', 1785000000000000000, 0, 1785000002500000000,
        'make', CAST('make' || char(0) AS BLOB), '/home/ann/project', '/home/ann/project', '/home/ann',
        'ann', 'box', 'Linux', 'audit', 'off', 0, 0, 'complete');
INSERT INTO subject (id, channel, name) VALUES
    (1, 0, '/usr/bin/make'), (2, 0, '/usr/bin/dash'), (3, 0, '/usr/lib/gcc/cc1');
INSERT INTO process (id, run, serial, parent, how, pid, parent_pid, exe, argv, command, cwd, started,
                     exit_status, signal, shim)
VALUES
    (1, 1, 1, NULL, 'first', 101, 100, 1, CAST('make' || char(0) AS BLOB), 'make',
     '/home/ann/project', 1, 0, 0, 'loaded'),
    (2, 1, 2, 1, 'spawn', 102, 101, 2,
     CAST('sh' || char(0) || '-c' || char(0) || 'cc -c a.c' || char(0) AS BLOB), 'sh -c ''cc -c a.c''',
     '/home/ann/project', 2, 0, 0, 'loaded'),
    (3, 1, 3, 2, 'exec', 102, 101, 3,
     CAST('/usr/lib/gcc/cc1' || char(0) || 'a.c' || char(0) AS BLOB), '/usr/lib/gcc/cc1 a.c',
     '/home/ann/project', 3, 0, 0, 'loaded');

CREATE TEMP VIEW event AS
SELECT NULL AS process, NULL AS channel, NULL AS operation, NULL AS subject, NULL AS outcome,
       NULL AS flags, NULL AS first, NULL AS count, NULL AS source;
CREATE TEMP TRIGGER event_inserted INSTEAD OF INSERT ON event BEGIN
    INSERT OR IGNORE INTO subject (channel, name)
    SELECT c.id, NEW.subject FROM channel c WHERE c.name = NEW.channel;
    INSERT INTO access (process, operation, subject, outcome, flags, source, count, first, hook)
    SELECT NEW.process, o.id, s.id, coalesce(NEW.outcome, 0), coalesce(NEW.flags, 0),
           coalesce(NEW.source, 0), coalesce(NEW.count, 1), coalesce(NEW.first, 1000), 'hook'
    FROM channel c
    JOIN operation o ON o.channel = c.id AND o.name = NEW.operation
    JOIN subject s ON s.channel = c.id AND s.name = NEW.subject
    WHERE c.name = NEW.channel;
    SELECT RAISE(ABORT, 'no such channel or operation') WHERE changes() = 0;
END;

CREATE TEMP VIEW resolves AS SELECT NULL AS name, NULL AS target;
CREATE TEMP TRIGGER resolves_inserted INSTEAD OF INSERT ON resolves BEGIN
    INSERT OR IGNORE INTO subject (channel, name) VALUES (0, NEW.name), (0, NEW.target);
    UPDATE subject SET resolved = (SELECT id FROM subject WHERE channel = 0 AND name = NEW.target)
    WHERE channel = 0 AND name = NEW.name;
END;
