/* SPDX-License-Identifier: MIT
 *
 * What a judged run comes to, ready to be shown: findings, each one thing that a person acts on,
 * with its members; counts per channel; blind spots; processes. Every renderer draws from this and
 * from nothing else, so all formats say the same.
 *
 * Names are bytes (struct text), not strings: they can hold anything but NUL.
 */
#ifndef ANALYZER_ANALYSIS_H
#define ANALYZER_ANALYSIS_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buffer.h"
#include "tallyman/event.h"
#include "tallyman/judge.h"

#define ANALYSIS_NONE UINT32_MAX

struct service;

struct text {
    const char *bytes; /* NUL-terminated as well; NULL unknown */
    size_t length;
};

/* What the build did with the members of a finding. Files that are there are one class whether they
 * were read, listed or looked at, because one declaration covers all of it. */
enum finding_class {
    FINDING_READ,    /* took something that is there */
    FINDING_WRITE,   /* created, changed or removed */
    FINDING_PROBE,   /* looked for something that is not there */
    FINDING_SERVICE, /* spoke to a program of this machine that is none of the build's */
    FINDING_CLASS_COUNT
};

/* As SARIF's levels. */
enum severity { SEVERITY_NOTE, SEVERITY_WARNING, SEVERITY_ERROR, SEVERITY_COUNT };

enum category_id {
#define CATEGORY(id, name, severity, title, why, remedy) CATEGORY_##id,
#include "categories.def"
#undef CATEGORY
    CATEGORY_COUNT
};

/* A row of categories.def: what kind of ambient state a finding is about. */
struct category {
    enum category_id id;
    const char *name; /* in JSON, in fingerprints: never changed */
    enum severity severity;
    const char *title, *why, *remedy;
};

struct analysis_process {
    int64_t id;      /* process.id */
    uint32_t parent; /* index, ANALYSIS_NONE for the first */
    int64_t pid;
    const char *how;
    struct text exe;
    struct text argv;    /* a NUL after each; bytes NULL unknown */
    struct text command; /* quoted for sh */
    struct text cwd;
    int64_t exit_status; /* -1 unknown */
    int64_t signal;      /* -1 unknown, 0 none */
    int64_t started;     /* ns since the run's start */
    int64_t ended;       /* the same; -1 unknown */
    bool wrote;          /* a file that was there afterwards: what it read may be in an output */
    const char *shim;
    int64_t environment; /* environment_variable.block */
    bool has_environment;
};

/* One thing in a finding, summed over processes. */
struct analysis_member {
    struct text subject;
    struct text resolved; /* what the name leads to, empty when it is the same */
    struct text package;  /* "name version", empty none */
    struct text digest;   /* SHA-256 of the file after the run, hex; empty unknown */
    enum event_kind operation;
    int outcome; /* 0 or errno */
    bool witness;
    bool passing; /* a file that the run made, and removed or gave a name chosen at random */
    int64_t count;
    uint32_t subject_number; /* equal for members with the same subject */
};

/* Where a reviewer looks: a file of the project that the processes behind a finding worked from
 * (the Makefile, the script), or the file itself. */
struct analysis_location {
    struct text path; /* below the project's root, without a slash in front; empty none */
    int64_t line;     /* 0 unknown */
};

struct analysis_finding {
    char fingerprint[17]; /* hex; the same in every run, for every user and every checkout */
    enum channel channel;
    enum finding_class class;
    enum verdict verdict;  /* undeclared or waived */
    const char *operation; /* of the most telling member: "execute" before "read" before "stat" */
    const struct service *service; /* of services.def, at `subject`; NULL none that is known */
    const struct category *category;
    enum severity severity;  /* of the category, less when nothing that was written can hold it */
    const char *group;       /* what `subject` is: package, folder, home, project, variable ... */
    struct text subject;     /* of the group: a package's name, a folder, a variable, a host */
    struct text package;     /* "name version", empty none */
    struct text remedy;      /* what to do about this one, one or a few sentences */
    struct text declaration; /* lines of a manifest that would declare it; empty: nothing can */
    struct text waiver; /* a line of `waivers:` that would accept it, the reason left to fill in */
    struct analysis_location location;
    bool known;                      /* in the baseline: analysis_apply_baseline */
    int64_t count;                   /* occurrences */
    uint32_t subjects;               /* different names among the members */
    uint32_t passing;                /* those of them that are passing */
    uint32_t kinds;                  /* bit set of access classes (1u << enum access_class) */
    struct analysis_member *members; /* most often used first */
    size_t member_count;
    uint32_t *processes; /* indexes, in the order of their start */
    size_t process_count;
};

struct analysis_channel {
    int64_t declared, undeclared, waived; /* rows of access: different uses */
    int64_t occurrences;                  /* of undeclared ones */
    int64_t probes;                       /* undeclared ones that found nothing */
    uint32_t findings;                    /* undeclared ones */
    uint32_t known;                       /* those of them that are in the baseline */
    uint32_t waived_findings;
};

struct analysis_blind_spot {
    const char *class;
    const char *text; /* from blind_spots.def; the class itself when it is not known there */
    struct text detail;
    int64_t count;
    uint32_t process; /* ANALYSIS_NONE: the whole run */
};

/* Blind spots of one class: a run of `blind_spots`. */
struct analysis_blind_class {
    const char *name, *text, *remedy; /* of blind_spots.def; an unknown one has no remedy ("") */
    size_t spots, spot_count;
    int64_t count;
    bool accepted; /* by the user: analysis_accept */
};

/* Processes by what became of the shim in them: process.shim. */
struct analysis_shim {
    const char *name;
    int64_t processes;
};

/* Different uses that the kernel saw in processes with the shim, and those that the shim has, too.
 */
struct analysis_recall {
    int64_t seen, recorded;
};

struct analysis_missed {
    struct text subject;
    enum event_kind operation;
    int64_t processes, count;
};

/* What the evidence rests on. Uses are rows of access: process, operation, subject, outcome. */
struct analysis_certificate {
    struct analysis_shim *shims; /* "loaded" first, then by number */
    size_t shim_count;
    int64_t shim, witness; /* different uses by who recorded them */
    int64_t confirmed;     /* those of the witness that the shim's record holds or implies */
    bool measured;         /* the witness reported all, so that the recall says something */
    struct analysis_recall recall, channels[CHANNEL_COUNT];
    struct analysis_missed *missed; /* by the shim, most processes first; only when measured */
    size_t missed_count;
};

struct analysis_waiver {
    struct text text; /* as a person reads the rule */
    int64_t line;
};

/* A line of the baseline that accepts nothing any more. */
struct analysis_stale {
    char fingerprint[17];
    struct text words; /* what the line says of it; any bytes */
    int64_t line;      /* 0: the baseline is a database */
};

struct analysis {
    int64_t run;
    struct text uuid, tool, command, argv, cwd, root, home, user, host, machine, mode, witness;
    struct text manifest;                     /* path; bytes NULL: built-in policy */
    int64_t started, ended;                   /* Unix time in ns; ended 0: the run never ended */
    int64_t exit_status, signal, interrupted; /* exit_status -1 unknown */
    bool judged;                              /* false: no verdicts in the database */
    bool complete;                            /* evidence */

    struct analysis_channel channels[CHANNEL_COUNT];
    struct analysis_finding *findings; /* by channel, class, then most used first */
    size_t finding_count;
    struct analysis_blind_spot *blind_spots; /* by class */
    size_t blind_spot_count;
    struct analysis_blind_class *blind_classes;
    size_t blind_class_count;
    struct analysis_certificate certificate;
    struct analysis_process *processes;
    size_t process_count;
    struct analysis_waiver *unused_waivers;
    size_t unused_waiver_count;
    bool baseline;                /* one was applied */
    struct analysis_stale *stale; /* by fingerprint */
    size_t stale_count;
    struct memory *memory; /* owns all of the above */
};

/* Loads one run; NULL after an error, with one line in `why`. analysis_free takes NULL. */
struct analysis *analysis_load(sqlite3 *db, int64_t run, struct buffer *why);
void analysis_free(struct analysis *analysis);

/* The facts of one run alone: no processes, no findings. As above. */
struct analysis *analysis_load_run(sqlite3 *db, int64_t run, struct buffer *why);

/* The id of the newest run, or of `wanted` if it exists (0 the newest); TALLY_ERR_NOT_FOUND or
 * TALLY_ERR_DATABASE, with one line in `why`. */
int64_t analysis_find_run(sqlite3 *db, int64_t wanted, struct buffer *why);

/* "read", "write", "probe", "ambient-service". */
const char *analysis_class_name(enum finding_class class);
/* "note", "warning", "error". */
const char *severity_name(enum severity severity);
const struct category *category_of_id(enum category_id id);

/* Undeclared findings, all channels. */
uint32_t analysis_undeclared(const struct analysis *analysis);
/* Those of them that are in the baseline. */
uint32_t analysis_known(const struct analysis *analysis);

/* Marks the undeclared findings that the baseline (baseline.h) has, and lists what of it no
 * undeclared finding has. The baseline can be freed afterwards. */
struct baseline;
void analysis_apply_baseline(struct analysis *analysis, struct baseline *baseline);

/* The user accepts blind spots of that class. */
void analysis_accept(struct analysis *analysis, const char *name);
/* The evidence is complete, but for what the user accepts. */
bool analysis_suffices(const struct analysis *analysis);

/* Different names behind a class of blind spots: its details, its programs, or of each spot the
 * detail and where there is none the program. The caller frees the array; the names are borrowed.
 */
enum analysis_blind_name { BLIND_NAME_DETAIL, BLIND_NAME_PROGRAM, BLIND_NAME_EITHER };
struct text *analysis_blind_names(const struct analysis *analysis,
                                  const struct analysis_blind_class *class,
                                  enum analysis_blind_name which, size_t *count);

/* The name of a program as people know it ("gcc", not "x86_64-linux-gnu-gcc-12"): the last part of
 * its first argument, or of its path. Borrowed. */
struct text analysis_program(const struct analysis_process *process);

/* The programs behind a finding with the number of their processes, most first. The caller frees
 * the array; the names are borrowed. */
struct analysis_users {
    struct text program;
    size_t processes;
};
struct analysis_users *analysis_programs(const struct analysis *analysis,
                                         const struct analysis_finding *finding, size_t *count);
/* The same for the processes that failed: a status that is not 0, or a signal. */
struct analysis_users *analysis_failed(const struct analysis *analysis, size_t *count);

/* "make -> sh -c 'cc ...' -> cc1", from the first process to this one, quoted for a terminal; no
 * command longer than `each` characters, the middle left out when there are more than `most`. */
void analysis_chain(const struct analysis *analysis, uint32_t process, size_t most, size_t each,
                    struct buffer *out);

#endif
