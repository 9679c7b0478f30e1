-- SPDX-License-Identifier: MIT
-- Names as programs give them: newline, quotes, markup, escapes, marks that reverse text, bytes that
-- are not UTF-8, in every place where a name is shown.
UPDATE run SET command = '$(rm)' || char(27) || '[2J', argv = x'2428726d291b5b324a00';
UPDATE process SET argv = x'27273b20746f7563682070776e6564202300fffe00' WHERE id = 2;
UPDATE subject SET name = x'2f6f70742f1b5b33316d' WHERE id = 3;
INSERT INTO event (process, channel, operation, subject) VALUES
    (3, 'filesystem', 'read', '/opt/a/new' || char(10) || 'line'),
    (3, 'filesystem', 'read', '/opt/a/q''"<&>]]>'),
    (3, 'filesystem', 'read', '/opt/a/<script>alert(1)</script>'),
    (3, 'filesystem', 'read', '/opt/' || char(27) || '[31m/x'),
    (3, 'filesystem', 'read', '/opt/a/back\slash\x41'),
    (3, 'filesystem', 'read', '/opt/a/' || char(0x202e) || 'txt.c'),
    (3, 'filesystem', 'read', '/opt/a/é€🚢'),
    (3, 'filesystem', 'read', '/opt/a/%0A::error file=x::y,z'),
    (3, 'filesystem', 'read', '/opt/a/' || char(10) || '::error::injected'),
    (3, 'filesystem', 'read', '/opt/a/`code` | ``[a](http://www.example.org)@ann *b* &amp;'),
    (3, 'filesystem', 'read', '/opt/a/' || char(0xfffe) || char(0xffff) || 'none'),
    (3, 'environment', 'read', '=cmd|''/C calc''!A0'),
    (3, 'environment', 'read', '-2+3'),
    (3, 'environment', 'read', '@SUM(1)'),
    (3, 'environment', 'read', '＝1'),
    (3, 'environment', 'read', char(9) || '=1'),
    (3, 'environment', 'read', '::warning::x'),
    (3, 'environment', 'read', ']]><![CDATA[<script>'),
    (3, 'network', 'lookup', char(27) || ']0;title' || char(7)),
    (3, 'environment', 'read', 'BASH_FUNC_x%%'),
    (3, 'environment', 'read', 'NEW' || char(10) || 'LINE');
INSERT INTO event (process, channel, operation, subject, outcome, source) VALUES
    (3, 'filesystem', 'read', x'2f6f70742f612ffffe2e63', 0, 0),
    (3, 'filesystem', 'read', x'2f6f70742fc0af2f78', 999, 1),
    (3, 'environment', 'read', x'ff', 0, 0);
INSERT INTO blind_spot (run, process, class, detail, count) VALUES
    (1, 3, 'static', x'1b5b316dff', 1), (1, NULL, 'new' || char(27) || 'class', NULL, 1);
UPDATE run SET evidence = 'incomplete';
