-- SPDX-License-Identifier: MIT
INSERT INTO event (process, channel, operation, subject) VALUES
    (3, 'filesystem', 'read', '/home/ann/project/a.c');
