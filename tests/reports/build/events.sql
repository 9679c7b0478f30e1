-- SPDX-License-Identifier: MIT
-- A small build without a manifest: every channel, packages, places, probes, a blind spot.
INSERT INTO event (process, channel, operation, subject, count, first) VALUES
    (1, 'filesystem', 'read', '/home/ann/project/Makefile', 1, 1),
    (3, 'filesystem', 'read', '/home/ann/project/a.c', 1, 1),
    (3, 'filesystem', 'read', '/usr/include/stdio.h', 2, 1),
    (3, 'filesystem', 'read', '/usr/include/stdlib.h', 1, 1),
    (3, 'filesystem', 'stat', '/usr/include/stdlib.h', 1, 1),
    (2, 'filesystem', 'execute', '/usr/lib/gcc/cc1', 1, 1),
    (3, 'filesystem', 'load', '/lib/x86_64-linux-gnu/libc.so.6', 1, 1),
    (3, 'filesystem', 'read', '/home/ann/.config/site/config.h', 1, 1),
    (3, 'filesystem', 'read', '/usr/local/include/extra.h', 1, 1),
    (3, 'filesystem', 'stat', '/usr/local', 1, 1),
    (3, 'filesystem', 'list', '/opt/sdk/include', 1, 1),
    (1, 'network', 'connect', '127.0.0.1:5432', 1, 1),
    (2, 'network', 'connect', 'unix:/tmp/mine.sock', 2, 1),
    (1, 'network', 'connect', '192.0.2.1:80', 1, 1),
    (3, 'network', 'bind', '127.0.0.1:7000', 1, 1),
    (1, 'network', 'connect', '127.0.0.1:7000', 1, 2),
    (1, 'network', 'lookup', 'example.org', 2, 1),
    (3, 'clock', 'clock', 'realtime', 3, 1),
    (1, 'environment', 'read', 'HOME', 4, 1),
    (3, 'environment', 'locale', 'de_DE.UTF-8', 1, 1),
    (3, 'randomness', 'random', 'getrandom', 1, 1),
    (3, 'filesystem', 'read', '/dev/urandom', 1, 1),
    (2, 'identity', 'host', 'host-name', 1, 1),
    (1, 'resources', 'cpu', 'online', 1, 1);
INSERT INTO event (process, channel, operation, subject, flags, first) VALUES
    (3, 'filesystem', 'write', '/tmp/ccA.s', 1, 5),
    (3, 'filesystem', 'read', '/tmp/ccA.s', 0, 6),
    (3, 'filesystem', 'write', '/home/ann/project/a.o', 1, 7);
INSERT INTO event (process, channel, operation, subject, outcome) VALUES
    (3, 'filesystem', 'stat', '/usr/local/include/stdio.h', 2),
    (3, 'filesystem', 'stat', '/usr/local/include/stdlib.h', 2),
    (3, 'filesystem', 'read', '/opt/sdk/include/stdio.h', 2),
    (1, 'network', 'connect', '127.0.0.1:9999', 111),
    (3, 'environment', 'read', 'CPATH', 2),
    (1, 'environment', 'read', 'MAKEFILES', 2);
INSERT INTO resolves VALUES ('/usr/local/include/extra.h', '/opt/extra/extra-2.h');
UPDATE subject SET package = 'libc6-dev 2.36-9+deb12u10' WHERE name LIKE '/usr/include/%';
UPDATE subject SET package = 'libc6 2.36-9+deb12u10' WHERE name LIKE '/lib/%';
UPDATE subject SET package = 'cpp-12 12.2.0-14' WHERE name = '/usr/lib/gcc/cc1';
INSERT INTO subject (id, channel, name) VALUES (200, 3, 'PATH'), (201, 3, 'EDITOR'), (202, 3, 'TOKEN');
INSERT INTO environment_variable (run, block, subject) VALUES (1, 7, 200), (1, 7, 201), (1, 7, 202);
UPDATE process SET environment = 7;
INSERT INTO blind_spot (run, process, class, detail, count) VALUES
    (1, 2, 'static', '/opt/sdk/bin/gen', 2), (1, NULL, 'witness-off', NULL, 1);
UPDATE run SET evidence = 'incomplete';
