-- SPDX-License-Identifier: MIT
-- A run in which the kernel reported everything: what both saw counts once, the shim's recall is
-- measured, a static program is seen by the witness alone.
UPDATE run SET witness = 'full', evidence = 'incomplete';
UPDATE process SET shim = 'static' WHERE id = 2;
INSERT INTO event (process, channel, operation, subject, source, first) VALUES
    (1, 'filesystem', 'read', '/home/ann/project/Makefile', 0, 10),
    (1, 'filesystem', 'read', '/home/ann/project/Makefile', 1, 10),
    (1, 'filesystem', 'read', '/etc/ld.so.cache', 1, 2),
    (2, 'filesystem', 'read', '/opt/sdk/settings', 1, 20),
    (2, 'clock', 'clock', 'realtime', 1, 21),
    (3, 'filesystem', 'read', '/etc/ld.so.cache', 1, 30),
    (3, 'filesystem', 'read', '/lib/x86_64-linux-gnu/libc.so.6', 1, 31),
    (3, 'filesystem', 'load', '/lib/x86_64-linux-gnu/libc.so.6', 0, 32),
    (3, 'filesystem', 'realpath', '/opt/sdk/include', 0, 33),
    (3, 'filesystem', 'readlink', '/opt', 1, 33),
    (3, 'filesystem', 'readlink', '/opt/sdk', 1, 33),
    (3, 'clock', 'clock', 'realtime', 0, 34),
    (3, 'clock', 'clock', 'realtime', 1, 34);
UPDATE subject SET package = 'libc6 2.36-9+deb12u10' WHERE name LIKE '/lib/%';
INSERT INTO blind_spot (run, process, class, detail, count) VALUES
    (1, 2, 'unread-environment', NULL, 1), (1, 2, 'vdso-clock', NULL, 1),
    (1, 2, 'interrupted', 'openat', 3);
