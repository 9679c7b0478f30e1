/* SPDX-License-Identifier: MIT
 *
 * Bad manifests, each with every line that the reader is told.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include "support.h"

static const struct bad {
    const char *text;
    const char *errors;
} bad[] = {
    /* keys and types */
    {"", "m.yaml:1:1: expected a manifest that starts with \"version: 1\"; this is empty\n"},
    {"# only a comment\n",
     "m.yaml:1:1: expected a manifest that starts with \"version: 1\"; this is empty\n"},
    {"inputs: [x]\n", "m.yaml:1:1: missing key \"version\": expected the number 1\n"},
    {"version: 2\n", "m.yaml:1:10: version 2: expected 1, the only one that this tallyman reads\n"},
    {"version: '1'\n", "m.yaml:1:10: expected the number 1; this is text in quotes\n"},
    {"version: 1\ninptus: [x]\n", "m.yaml:2:1: unknown key \"inptus\"; did you mean \"inputs\"?\n"},
    {"version: 1\nzzz: 1\n",
     "m.yaml:2:1: unknown key \"zzz\"; expected one of version, root, use, inputs, absent, "
     "outputs, "
     "scratch, environment, network, clock, randomness, identity, resources, waivers, actions\n"},
    {"version: 1\ninputs: [a]\ninputs: [b]\n",
     "m.yaml:3:1: duplicate key \"inputs\": it was given before in line 2; keep one of them\n"},
    {"version: 1\ninputs: src/**\n",
     "m.yaml:2:9: expected a list of paths, such as [src/**]; this is the text \"src/**\"\n"},
    {"version: 1\ninputs:\n",
     "m.yaml:2:8: expected a list of paths, such as [src/**]; nothing is given here\n"},
    {"version: 1\ninputs:\n  a: b\n",
     "m.yaml:3:3: expected a list of paths, such as [src/**]; this is a mapping\n"},
    {"- version\n", "m.yaml:1:1: expected a mapping with the key \"version\" and others, one "
                    "\"key: value\" a line; this is a list\n"},
    {"version: 1\ninputs:\n  - {path: a, why: b, digset: c}\n",
     "m.yaml:3:23: unknown key \"digset\"; did you mean \"digest\"?\n"},
    {"version: 1\ninputs:\n  - {why: b}\n",
     "m.yaml:3:5: expected one of the keys \"path\" and \"package\"\n"},
    {"version: 1\ninputs:\n  - {path: a, package: bb}\n",
     "m.yaml:3:5: expected only one of the keys \"path\" and \"package\"\n"},
    {"version: 1\nuse: [base, gccc]\n",
     "m.yaml:2:13: unknown rule set \"gccc\"; did you mean \"gcc\"?\n"},
    {"version: 1\nuse: [base, base]\n",
     "m.yaml:2:13: the rule set \"base\" is used twice; keep one of them\n"},
    {"version: 1\n---\nversion: 1\n",
     "m.yaml:3:1: expected the end: a manifest is one YAML document; remove the line \"---\" or "
     "\"...\" before this\n"},

    /* patterns that can never match */
    {"version: 1\ninputs: ['']\n",
     "m.yaml:2:10: the pattern can never match: it is empty; write . for the folder\n"},
    {"version: 1\ninputs: ['a/[b']\n",
     "m.yaml:2:10: the pattern can never match: the class that [ opens is never closed; quote the "
     "bracket as \\[\n"},
    {"version: 1\ninputs: ['[z-a]']\n",
     "m.yaml:2:10: the pattern can never match: its class has a range from a higher to a lower "
     "byte\n"},
    {"version: 1\ninputs: ['src/**.c']\n",
     "m.yaml:2:10: the pattern can never match: ** must stand alone between slashes, as in "
     "src/**/*.c; * stays inside a name\n"},
    {"version: 1\ninputs: [../../../x]\n",
     "m.yaml:2:10: the pattern can never match: .. leads above /\n"},
    {"version: 1\ninputs: ['*/../x']\n",
     "m.yaml:2:10: the pattern can never match: .. cannot follow a wildcard\n"},
    {"version: 1\ninputs: ['a\\']\n",
     "m.yaml:2:10: the pattern can never match: a backslash at its end quotes nothing; write \\\\ "
     "for a backslash\n"},
    {"version: 1\ninputs: ['!']\n", "m.yaml:2:10: expected a pattern after !\n"},
    {"version: 1\ninputs: [\"a\\0b\"]\n", "m.yaml:2:10: expected a path, {path: ...} or {package: "
                                          "...}; a NUL byte cannot be part of it\n"},
    {"version: 1\nenvironment: {A=B: c}\n",
     "m.yaml:2:15: the pattern can never match: no variable has = in its name\n"},
    {"version: 1\ninputs: ['${NOT_SET_HERE}/x']\n",
     "m.yaml:2:10: the variable ${NOT_SET_HERE} is not set; set it, or write its value\n"},
    {"version: 1\ninputs: ['${x']\n",
     "m.yaml:2:10: expected ${VAR}, the name of a variable in braces\n"},

    /* sections that contradict each other */
    {"version: 1\ninputs: [build/**]\noutputs: [build]\n",
     "m.yaml:3:11: \"build\" is an output and also an input (line 2); what may be written may be "
     "read "
     "back, so leave it out of the inputs\n"},
    {"version: 1\nabsent: [x]\noutputs: [x]\n",
     "m.yaml:2:10: \"x\" is absent and also an output (line 3)\n"},

    /* digests and packages */
    {"version: 1\ninputs:\n  - {path: a, digest: 'sha256:12'}\n",
     "m.yaml:3:23: expected \"sha256:\" and 64 hexadecimal digits\n"},
    {"version: 1\ninputs:\n  - {path: 'a*', digest: "
     "'sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef'}\n",
     "m.yaml:3:5: a digest needs the path of one file or folder, without wildcards\n"},
    {"version: 1\noutputs:\n  - {package: gcc}\n", "m.yaml:3:5: a package can only be an input\n"},
    {"version: 1\ninputs:\n  - {package: 'no name'}\n",
     "m.yaml:3:15: expected a package, such as \"libc6-dev=2.36*\"; \"no name\" is no name of a "
     "Debian package\n"},

    /* network */
    {"version: 1\nnetwork: ['example.org']\n",
     "m.yaml:2:11: expected \"host:port\", \"loopback:port\" or \"unix:/path\", but "
     "\"example.org\" "
     "has no port\n"},
    {"version: 1\nnetwork: [':80']\n", "m.yaml:2:11: expected \"host:port\", \"loopback:port\" or "
                                       "\"unix:/path\", but \":80\" has no host\n"},
    {"version: 1\nnetwork: ['a:65536']\n",
     "m.yaml:2:11: expected a port from 0 to 65535, or * for any, not \"65536\"\n"},
    {"version: 1\nnetwork: ['::1:80']\n",
     "m.yaml:2:11: expected an IPv6 address in brackets: \"[::1]:80\"\n"},
    {"version: 1\nnetwork: ['http://a/:80']\n",
     "m.yaml:2:11: expected an IPv6 address in brackets: \"[http://a/]:80\"\n"},

    /* values */
    {"version: 1\nclock: soon\n", "m.yaml:2:8: expected real, a Unix time in seconds, or {at: ..., "
                                  "advance: true}; this is the text \"soon\"\n"},
    {"version: 1\nclock: {advance: true}\n",
     "m.yaml:2:8: missing key \"at\": expected a Unix time in seconds\n"},
    {"version: 1\nclock: {at: 1, advance: 7}\n",
     "m.yaml:2:25: expected true or false; this is the text \"7\"\n"},
    {"version: 1\nrandomness: 4\n",
     "m.yaml:2:13: expected real or {seed: 42}; this is the text \"4\"\n"},
    {"version: 1\nidentity: {uid: 4294967295}\n",
     "m.yaml:2:17: expected a number from 0 to 4294967294, or real; this is the text "
     "\"4294967295\"\n"},
    {"version: 1\nresources: {cpus: 0, memory: 4 gib}\n",
     "m.yaml:2:19: expected a number from 1 to 1048576, or real\n"
     "m.yaml:2:30: expected a size such as 4GiB, or real\n"},
    {"version: 1\nenvironment: {'LC_*': C}\n",
     "m.yaml:2:23: a pattern of variables cannot have one value; expected {pass: true}\n"},
    {"version: 1\nenvironment: {A: {pass: false}}\n",
     "m.yaml:2:25: expected true; leave out a variable that the command shall not get\n"},
    {"version: 1\nenvironment: {A: 1, B: 2, A: 3}\n",
     "m.yaml:2:27: duplicate key \"A\": it was given before in line 2; keep one of them\n"},

    /* waivers and actions */
    {"version: 1\nwaivers:\n  - {channel: filesystem, subject: /etc/localtime, reason: r, owner: "
     "build-team, expires: 2020-02-29}\n",
     "m.yaml:3:91: the waiver for \"/etc/localtime\" expired on 2020-02-29; its owner is "
     "build-team: "
     "remove what it waives, or agree on a new date\n"},
    {"version: 1\nwaivers:\n  - {channel: clock, subject: x, reason: r, expires: 2027-02-29}\n",
     "m.yaml:3:54: expected a date such as 2027-03-31, not \"2027-02-29\"\n"},
    {"version: 1\nwaivers:\n  - {channel: clock, subject: x, reason: r, expires: 31.3.2027}\n",
     "m.yaml:3:54: expected a date such as 2027-03-31, not \"31.3.2027\"\n"},
    {"version: 1\nwaivers:\n  - {channel: filesytem, subject: x, reason: r}\n",
     "m.yaml:3:15: unknown channel \"filesytem\"; did you mean \"filesystem\"?\n"},
    {"version: 1\nwaivers:\n  - {channel: clock}\n",
     "m.yaml:3:5: missing key \"subject\": expected a path, a variable, an endpoint, ... or a "
     "pattern "
     "of them\n"
     "m.yaml:3:5: missing key \"reason\": expected text\n"},
    {"version: 1\nactions:\n  - {name: a, match: {}}\n",
     "m.yaml:3:22: expected {exe: ...}, {argument: ...} or both; an action without them takes "
     "every "
     "process\n"},
    {"version: 1\nactions:\n  - {name: a, match: {exe: x}}\n  - {name: a, match: {exe: y}}\n",
     "m.yaml:4:12: another action is called \"a\"\n"},

    /* the surprises of YAML */
    {"version: 1\ninputs:\n  - *.c\n",
     "m.yaml:3:5: not YAML: a word that starts with * is an alias in YAML; quote it: '*.c'\n"},
    {"version: 1\ninputs: [*.c, b]\n",
     "m.yaml:2:10: not YAML: a word that starts with * is an alias in YAML; quote it: '*.c'\n"},
    {"version: 1\ninputs:\n  - **/*.c\n",
     "m.yaml:3:5: not YAML: a word that starts with * is an alias in YAML; quote it: '**/*.c'\n"},
    {"version: 1\ninputs:\n  - *foo\n",
     "m.yaml:3:5: not YAML: a word that starts with * is an alias in YAML; quote it: '*foo'\n"},
    {"version: 1\nenvironment:\n  *_DIR: {pass: true}\n",
     "m.yaml:3:3: not YAML: a word that starts with * is an alias in YAML; quote it: '*_DIR'\n"},
    {"version: 1\ninputs:\n  - !src/x\n", "m.yaml:3:5: expected a path, {path: ...} or {package: "
                                          "...}; a word that starts with ! is a tag "
                                          "in YAML; quote it: '!src/x'\n"},
    {"version: 1\ninputs:\n  - ! src\n", "m.yaml:3:5: expected a path, {path: ...} or {package: "
                                         "...}; a word that starts with ! is a tag "
                                         "in YAML; quote it: '! src'\n"},
    {"version: 1\ninputs: [!x, y]\n",
     "m.yaml:2:10: expected a path, {path: ...} or {package: ...}; a word that starts with ! is a "
     "tag in YAML; quote it: '!x'\n"},
    {"version: 1\ninputs:\n  - %x\n",
     "m.yaml:3:5: not YAML: a word cannot start with % in YAML; quote it: '%x'\n"},
    {"version: 1\ninputs:\n  - @x\n",
     "m.yaml:3:5: not YAML: a word cannot start with @ in YAML; quote it: '@x'\n"},
    {"version: 1\ninputs:\n  - `x\n",
     "m.yaml:3:5: not YAML: a word cannot start with ` in YAML; quote it: '`x'\n"},
    {"version: 1\ninputs:\n  - [a-z]x\n",
     "m.yaml:3:5: not YAML: a word that starts with [ is a list in YAML; quote it: '[a-z]x'\n"},
    {"version: 1\ninputs:\n  - [a-z]\n",
     "m.yaml:3:5: expected a path, {path: ...} or {package: ...}; a word that starts with [ is a "
     "list in YAML; quote it: '[a-z]'\n"},
    {"version: 1\ninputs:\n\t- x\n",
     "m.yaml:3:1: not YAML: a tab cannot indent in YAML; use spaces\n"},
    {"version: 1\ninputs: [no]\n",
     "m.yaml:2:10: expected a path, {path: ...} or {package: ...}; YAML reads no as true or false; "
     "quote it: 'no'\n"},
    {"version: 1\nenvironment: {MODE: 0755, V: 1.10, N: ~, T: 12:30}\n",
     "m.yaml:2:21: expected a value, or {pass: true}; YAML reads 0755 as an octal number; quote "
     "it: "
     "'0755'\n"
     "m.yaml:2:30: expected a value, or {pass: true}; YAML reads 1.10 as a number; quote it: "
     "'1.10'\n"
     "m.yaml:2:39: expected a value, or {pass: true}; YAML reads ~ as nothing; quote it: '~'\n"
     "m.yaml:2:45: expected a value, or {pass: true}; YAML reads 12:30 as a number in base 60; "
     "quote "
     "it: '12:30'\n"},
    {"version: 1\nroot: a: b\n",
     "m.yaml:2:8: not YAML: a second \": \" in one line; quote the value, "
     "or start a new line for the key\n"},
    {"version: 1\ninputs: [\"a\\*\"]\n",
     "m.yaml:2:12: not YAML: in double quotes a backslash starts one of YAML's own escapes; use "
     "single quotes\n"},
    {"version: 1\nroot: \"abc\n",
     "m.yaml:2:7: not YAML: a quote is opened here and never closed\n"},
    {"version: 1\ninputs: [a, b\nroot: x\n",
     "m.yaml:3:5: not YAML: expected a comma or the closing bracket\n"},
    {"version: 1\nroot: a\xff\n",
     "m.yaml:2:8: expected UTF-8: invalid leading UTF-8 octet; write such a byte of a path as "
     "\"\\xff\" in double quotes\n"},

    /* all errors, in the order of the file */
    {"version: 3\nuse: [gc]\nbogus: 1\noutputs: [x]\ninputs: ['[', x, no]\nclock: now\n",
     "m.yaml:1:10: version 3: expected 1, the only one that this tallyman reads\n"
     "m.yaml:2:7: unknown rule set \"gc\"; did you mean \"gcc\"?\n"
     "m.yaml:3:1: unknown key \"bogus\"; expected one of version, root, use, inputs, absent, "
     "outputs, "
     "scratch, environment, network, clock, randomness, identity, resources, waivers, actions\n"
     "m.yaml:5:10: the pattern can never match: the class that [ opens is never closed; quote the "
     "bracket as \\[\n"
     "m.yaml:5:18: expected a path, {path: ...} or {package: ...}; YAML reads no as true or false; "
     "quote it: 'no'\n"
     "m.yaml:6:8: expected real, a Unix time in seconds, or {at: ..., advance: true}; this is the "
     "text \"now\"\n"},
};

Test(errors, every_bad_manifest_is_told_where_what_and_the_cure)
{
    unsetenv("NOT_SET_HERE");
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        char *errors = errors_of(bad[i].text);

        cr_expect_str_eq(errors, bad[i].errors, "of:\n%s\ngot:\n%s", bad[i].text, errors);
        free(errors);
    }
}
