/* SPDX-License-Identifier: MIT
 *
 * The bytes of the event log: one file in the run's directory, shared by the supervisor and by every
 * process of the build. Layout:
 *
 *   unit 0            struct log_control, then zeros
 *   unit 1 ...        chunks, each a whole number of units: struct chunk, then records
 *
 * Writers (the shim) take room by atomic addition and never wait for one another:
 *   - a chunk is taken by adding its units to log_control.next_unit, given real blocks by
 *     fallocate(2) (so that a full file system is an error and not SIGBUS), mapped, and its header
 *     filled in, `magic` last;
 *   - a record is taken by adding its size to chunk.tail; its `word` is stored first as
 *     size | RECORD_RESERVED, then the rest is written, then `word` becomes size | RECORD_COMMITTED.
 *   A writer that dies in between leaves either zeros or a reserved record; the file is zero where it
 *   was never written, so a reader steps over zeros eight bytes at a time to the next word.
 *
 * The reader (the supervisor, `recover`) owns the fields that say so and treats all the rest as
 * hostile bytes: any process of the build can write here.
 *
 * A repeat of (process, kind, subject, outcome, flags) adds to `count` of the record that is there.
 * The reader takes `count - drained` and then sets `drained`; a chunk can be read any number of times.
 *
 * All numbers are little-endian, of fixed width, the same for 32- and 64-bit programs.
 * LOG_VERSION changes with any change to this file; a reader refuses another version.
 */
#ifndef TALLYMAN_RECORD_H
#define TALLYMAN_RECORD_H

#include <stdint.h>

#define LOG_MAGIC 0x676f6c796c6c6174ull /* "tallylog" */
#define LOG_VERSION 3
#define LOG_UNIT 16384u
#define CHUNK_MAGIC 0x6b6e6863u /* "chnk" */
#define CHUNK_UNITS_MAX 64u     /* 1 MiB */

/* Name of the variable that tells the shim where to report:
 * "<path of the log file>:<16 hex digits>", the digits being the id that the parent gave to this
 * execution (0 for the first), with RUN_PLAIN_IMAGE where the file is an ELF program and no script.
 * It and the shim's entry in LD_PRELOAD are the only two that tallyman adds; the shim takes both out
 * of the program's environment at start-up. */
#define TALLYMAN_RUN_VARIABLE "TALLYMAN_RUN"
#define RUN_PLAIN_IMAGE       0x8000000000000000ull
#define RUN_WITNESSED         0x4000000000000000ull /* the kernel reports this run: see door.h */

/* The id that a process hands on which could not report in itself: no execution has it, so that what
 * it starts is seen and is not taken for it. */
#define RUN_NO_EXECUTION 0x0000ffffffffffffull

#define LOG_ENVIRONMENTS 512u

enum log_state { LOG_OPEN = 1, LOG_CLOSED = 2 };

/* What the kernel reports to the supervisor. GAPS: the watched calls that are not made through the
 * door (door.h); FULL: all of them, for the shim uses the door for its own needs only. */
enum witness_mode { WITNESS_OFF, WITNESS_GAPS, WITNESS_FULL };

/* The first unit of the file. */
struct log_control {
    uint64_t magic;           /* supervisor, before the first process starts */
    uint32_t version;         /* supervisor */
    uint32_t unit;            /* supervisor: LOG_UNIT */
    uint32_t state;           /* supervisor; a writer that finds the heart stopped may close it */
    uint32_t heartbeat;       /* supervisor, at least every 100 ms while it lives */
    uint32_t limit;           /* supervisor: units that may be taken and not yet released */
    uint32_t released;        /* supervisor: units given back; writers wait for it (futex) */
    uint32_t waiting;         /* writers: how many wait on `released` */
    uint32_t next_unit;       /* writers: first unit not yet taken */
    uint64_t next_id;         /* writers: last id given to a process or an execution */
    uint64_t lost;            /* writers: records that could not be written */
    uint32_t witness;         /* supervisor: enum witness_mode */
    uint32_t pending;         /* supervisor: accesses taken from chunks that it has marked, and not yet
                                 stored because their process was not known so far */
    uint8_t run[16];          /* supervisor: the run's id, as in the database */
    uint64_t monotonic_start; /* supervisor: CLOCK_MONOTONIC ns when the run started */
    uint64_t realtime_start;  /* supervisor: CLOCK_REALTIME ns at that moment */
    uint64_t environments[LOG_ENVIRONMENTS]; /* writers: hashes of the environment blocks whose
                                                entries are already in the log; 0 free */
};

/* The head of a chunk, 64 bytes. */
struct chunk {
    uint32_t magic;      /* writer, last: CHUNK_MAGIC */
    uint32_t units;      /* writer: size of the whole chunk */
    uint32_t sealed;     /* writers or reader: 1 when full or given up; no new record after that */
    uint32_t active;     /* writers: how many are at work in it now; the reader may release a sealed
                            chunk when this is 0 */
    uint64_t tail;       /* writers: bytes of records taken; may run past the end */
    uint64_t capacity;   /* writer: bytes of records that fit */
    uint32_t owner_pid;  /* writer: its pid, in its own namespace. When no such process is there any
                            more the reader may seal the chunk; should the owner live after all, it
                            takes another */
    uint32_t owner;      /* writer: low half of the owner's process id in the run */
    uint64_t generation; /* writer: unit number, for the writer's own fold table */
    uint64_t drained;    /* reader */
    uint64_t reserved;
};

#define RECORD_SIZE_MASK 0x000fffffu
#define RECORD_RESERVED 0x20000000u  /* room taken, not yet filled in */
#define RECORD_COMMITTED 0x40000000u /* complete */
#define RECORD_PADDING 0x80000000u   /* rest of a chunk that was too small for a record; only `word`
                                        is valid. Set together with RECORD_COMMITTED */
#define RECORD_ALIGNMENT 8u

/* One access, or one fact about a process. `size` covers the head, both strings and slack. */
struct record {
    uint32_t word;      /* size | state; see above */
    uint16_t kind;      /* enum event_kind */
    uint16_t hook;      /* enum hook: the function that made it */
    uint64_t process;   /* id of the process in this run; never used twice */
    uint32_t pid;       /* as the process itself sees it */
    uint32_t thread;    /* thread id, likewise */
    int32_t error;      /* 0, or the errno that the program got */
    uint32_t flags;     /* RECORD_* flags below */
    uint64_t time;      /* CLOCK_MONOTONIC ns of the first occurrence; for WRITE and other changes,
                           taken before the call, so that no reader of the result can be earlier */
    uint64_t value;     /* by kind, see below */
    uint64_t key;       /* hash for folding; writers only */
    uint64_t count;     /* writers: occurrences */
    uint64_t drained;   /* reader: occurrences already taken */
    uint32_t subject;   /* length in bytes of the first string, which follows the head */
    uint32_t other;     /* length in bytes of the second string, which follows the first */
};

/* Flags. Those up to RECORD_KEYED are part of what makes two accesses the same. */
#define RECORD_CREATE 0x0001u     /* WRITE: O_CREAT */
#define RECORD_EXISTED 0x0002u    /* WRITE with O_CREAT: it was there before */
#define RECORD_TRUNCATE 0x0004u   /* WRITE: old content discarded (O_TRUNC, mode "w") */
#define RECORD_APPEND 0x0008u     /* WRITE: O_APPEND */
#define RECORD_NO_FOLLOW 0x0010u  /* concerns the link itself: lstat, O_NOFOLLOW, unlink ... */
#define RECORD_PATH_ONLY 0x0020u  /* STAT: open with O_PATH */
#define RECORD_IMPLIED 0x0040u    /* not a call of the program's: what the function it called is known
                                     to use inside libc (tzset -> /etc/localtime) */
#define RECORD_UNNAMED 0x0080u    /* WRITE: O_TMPFILE in that folder, nothing visible is made */
#define RECORD_TEMPORARY 0x0100u  /* WRITE, MKDIR: name chosen at random by the mkstemp family */
#define RECORD_KEYED 0x0fffu
#define RECORD_CUT 0x1000u        /* subject or other was longer than fits and is cut */
#define RECORD_UNREADABLE 0x2000u /* the subject could not be read (bad pointer) */
#define RECORD_UNRESOLVED 0x4000u /* the path is as given: the folder it starts from, or what the kernel
                                     opened under a name of /proc or /dev, is not known */
#define RECORD_RELATIVE_GONE 0x8000u /* the current folder was deleted: subject is "(deleted)/..." */
#define RECORD_WITNESS 0x10000u   /* written by the supervisor: the kernel saw it. See "witness" below */

/* What the fields of each kind hold, where it is not subject = the thing used:
 *
 * PROCESS_START      subject: path of the program, as executed or as the kernel resolves it (a script's:
 *                    its interpreter's); other: current folder
 *                    value: START_* | (execution id or parent's process id) << 8; error: parent pid
 * PROCESS_ARGUMENT   subject: one argument, cut at ARGUMENT_MAX; value: its position
 * PROCESS_EXIT       written by the parent that waited. value: the child's pid; error: status as
 *                    wait(2) gives it; subject: struct child_usage (may be empty). RECORD_IMPLIED: value
 *                    is the execution's id (system(3), whose wait is inside libc)
 * ENVIRONMENT_BLOCK  value: hash of the whole environment of the image that starts. The entries
 *                    were written by the first process that had this block
 * ENVIRONMENT_ENTRY  value: that hash; subject: name; other: eight bytes, hash of the value, or empty
 *                    when the name looks like that of a secret or there is no '='
 * EXECUTE            written before the call, by the process that calls. subject: program as given,
 *                    absolute; for a search along PATH the name without slash. value: execution id.
 *                    other: the class seen in the file (enum image_class as one byte), if looked at
 * EXECUTE_FAILED     value: that execution id; error: errno
 * BLIND_SPOT         subject: what, a word of blind_spots.def; other: detail
 * file system kinds  subject: the path made absolute, not normalised ("." and ".." kept).
 *                    other: name by which the kernel knows the object, if the shim asked for it
 *                    (paths through /proc and /dev)
 * RENAME, LINK       subject: old path; other: new path (the reader makes RENAME_TO and LINK_TO of it)
 * SYMLINK            subject: the link; other: its text
 * CONNECT BIND SEND  subject: "192.0.2.1:80", "[2001:db8::1]:80", "unix:/path", "unix:@abstract",
 *                    "netlink:9"
 * LOOKUP             subject: host, or "service:name"
 * CLOCK_READ         subject: "realtime" or "monotonic"
 * GETENV             subject: name; error: ENOENT when it is not set
 * LOCALE             subject: name of the locale in force after the call
 * RANDOM SEED        subject: source: "getrandom", "srand" ...
 * USER GROUP HOST    subject: what was asked: "user-id", "group-id", "passwd:NAME", "group:NAME",
 *                    "login-name", "host-name", "domain-name", "kernel"
 * CPU MEMORY LIMIT   subject: "online", "configured", "affinity", "current", "physical", "swap",
 *                    "load", or the name of the limit
 *
 * Records of the witness (RECORD_WITNESS) differ in these points:
 *   hook     enum witness_call, the system call
 *   process  0: the supervisor does not know whose image it is; `pid` and `time` tell the reader.
 *            Otherwise the id that its PROCESS_START, by the witness too, has, and which is earlier in
 *            the log
 *   pid      the thread group's, as the process itself sees it; value: its parent's pid, for accesses
 *            (kinds with a channel) and BLIND_SPOT. A BLIND_SPOT with process and pid 0 is the run's
 *   error    what a look at the path by the supervisor, before the call went on, ended with; 0 for
 *            other subjects. What the program got is not known. The reader makes an outcome of it:
 *            what makes a name (WRITE with RECORD_CREATE, MKDIR, SYMLINK, MKNOD) succeeds where there
 *            was none (ENOENT; ENOTDIR where the folder is missing, too), and MKDIR, SYMLINK and MKNOD
 *            end with EEXIST where there was one. RENAME and LINK: the old path's, for both names
 *   PROCESS_START  of an image without shim. value: START_* | image class << START_CLASS_SHIFT |
 *            (execution id as found in the image's TALLYMAN_RUN, or parent's process id) << 8.
 *            An id that an earlier image names, too, was handed on: the parent is then found by pid and
 *            time. RUN_NO_EXECUTION: the image had no token. Its arguments and environment follow as
 *            the shim would have written them
 *   EXECUTE  value: as for accesses; it names no execution. With error 0 it ends the image, and the
 *            next one of that pid to report in is what it became
 */
#define ARGUMENT_MAX 4096u
#define ARGUMENTS_MAX 512u /* further arguments are dropped: an argument "..." with RECORD_CUT says so */

#define START_EXECUTED 1u      /* a new image; value >> 8 is the execution id */
#define START_FORKED 2u        /* a fork that did something; value >> 8 is the parent's process id */
#define START_CLASS_SHIFT 4u   /* bits 4 to 7: enum image_class, in the witness's records */

enum image_class {
    IMAGE_UNKNOWN,     /* could not be looked at */
    IMAGE_EXPECTED,    /* dynamic, of the shim's own kind: a PROCESS_START must follow */
    IMAGE_SCRIPT,      /* starts with #! */
    IMAGE_STATIC,      /* no program interpreter */
    IMAGE_FOREIGN_LIBC,/* another loader than glibc's */
    IMAGE_FOREIGN_ABI, /* another ELF class or machine */
    IMAGE_SECURE,      /* set-id or file capabilities: the loader drops the preload */
    IMAGE_OTHER,       /* not ELF, no #! */
    IMAGE_GO           /* dynamic, of the shim's kind, but with Go's run-time system, which makes its
                          own system calls: the shim reports in and sees little */
};

/* What the kernel counted for a child that ended (getrusage(2) of wait4). */
struct child_usage {
    uint64_t user_us;
    uint64_t system_us;
    uint64_t max_resident_kib;
    uint64_t reserved;
};

#endif
