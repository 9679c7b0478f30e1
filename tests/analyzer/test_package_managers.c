/* SPDX-License-Identifier: MIT
 *
 * Databases of package managers other than dpkg: made by the managers themselves where Debian has
 * them, by hand where it has not and where they are to be broken.
 */
#include "packages.h"

#include <criterion/criterion.h>
#include <glob.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"

static char root[64];
static struct packages *packages;
static struct buffer trouble;

static void shell(const char *format, ...) PRINTF_LIKE(1, 2);
static void shell(const char *format, ...)
{
    cleanup_free char *command = NULL;
    cleanup_free char *whole = NULL;
    va_list arguments;

    va_start(arguments, format);
    cr_assert_geq(vasprintf(&command, format, arguments), 0);
    va_end(arguments);
    whole = xprintf("cd %s && { %s; } >log 2>&1 || { cat log; exit 1; }", root, command);
    cr_assert_eq(system(whole), 0, "%s", command);
}

/* `name` is relative to the root; its folder is made. */
static void write_bytes(const char *name, const void *bytes, size_t length)
{
    cleanup_free char *path = xprintf("%s/%s", root, name);
    cleanup_free char *folder = xprintf("%.*s", (int)(strrchr(name, '/') - name), name);
    FILE *file;

    shell("mkdir -p '%s'", folder);
    file = fopen(path, "w");
    cr_assert_not_null(file, "%s", path);
    cr_assert_eq(fwrite(bytes, 1, length, file), length);
    fclose(file);
}

static void write_text(const char *name, const char *text)
{
    write_bytes(name, text, strlen(text));
}

static void open_root(void)
{
    strcpy(root, "/tmp/test_managers.XXXXXX");
    cr_assert_not_null(mkdtemp(root));
    packages = packages_new(root);
}

static void close_root(void)
{
    cleanup_free char *command = xprintf("rm -r %s", root);

    packages_free(packages);
    buffer_fini(&trouble);
    cr_assert_eq(system(command), 0);
}

TestSuite(package_managers, .init = open_root, .fini = close_root);

static uint32_t want(const char *path)
{
    return packages_want(packages, path, strlen(path));
}

static void check_owner(uint32_t question, const char *expected)
{
    const char *owner = packages_owner(packages, question);

    if (!expected)
        cr_assert_null(owner, "%s", owner);
    else
        cr_assert_str_eq(owner ? owner : "nobody", expected, "not %s but %s", expected,
                         owner ? owner : "nobody");
}

static void scan(void)
{
    packages_scan(packages, &trouble);
    cr_assert_eq(trouble.length, 0, "%s", trouble.data);
}

static void check_trouble(const char *expected)
{
    packages_scan(packages, &trouble);
    cr_assert_not_null(trouble.data, "no trouble");
    cr_assert_not_null(strstr(trouble.data, expected), "%s", trouble.data);
    cr_assert_null(strchr(trouble.data, '\n'));
}

/* --- rpm ---------------------------------------------------------------------------------------
 */

Test(package_managers, a_database_that_rpm_made_says_who_owns_a_file)
{
    uint32_t header = want("/usr/include/harbour/quay.h");
    uint32_t folder = want("/usr/include/harbour");
    uint32_t other = want("/usr/include/harbour/other.h");

    write_text("top/t.spec", "Name: harbour\nVersion: 1.5\nRelease: 2\nEpoch: 3\nSummary: x\n"
                             "License: MIT\nBuildArch: noarch\n%description\nx\n%install\n"
                             "mkdir -p %{buildroot}/usr/include/harbour\n"
                             "echo a >%{buildroot}/usr/include/harbour/quay.h\n"
                             "%files\n/usr/include/harbour\n");
    shell("mkdir -p var/lib/rpm && HOME=%s rpmbuild -bb --define '_topdir %s/top' top/t.spec", root,
          root);
    shell("HOME=%s rpm --root %s --dbpath /var/lib/rpm -i --justdb --nodeps --ignorearch"
          " top/RPMS/noarch/*.rpm",
          root, root);
    scan();
    check_owner(header, "rpm:harbour 3:1.5-2");
    check_owner(folder, "rpm:harbour 3:1.5-2");
    check_owner(other, NULL);
}

struct blob {
    unsigned char index[512], data[512];
    uint32_t entries, size;
};

static void put(unsigned char *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (unsigned char)(value >> (24 - 8 * i));
}

static void add(struct blob *blob, uint32_t tag, uint32_t type, uint32_t count, const void *bytes,
                size_t length)
{
    unsigned char *entry = blob->index + 16u * blob->entries++;

    put(entry, tag);
    put(entry + 4, type);
    put(entry + 8, blob->size);
    put(entry + 12, count);
    memcpy(blob->data + blob->size, bytes, length);
    blob->size += (uint32_t)length;
}

/* The header of a package "tide 1-1" with the files /usr/bin/ebb and /usr/bin/flow. */
static struct blob tide(void)
{
    struct blob blob = {.entries = 0};

    add(&blob, 1000, 6, 1, "tide", 5);
    add(&blob, 1001, 6, 1, "1", 2);
    add(&blob, 1002, 6, 1, "1", 2);
    add(&blob, 1118, 8, 1, "/usr/bin/", 10);
    add(&blob, 1116, 4, 2, "\0\0\0\0\0\0\0\0", 8);
    add(&blob, 1117, 8, 2, "ebb\0flow", 9);
    return blob;
}

static void store(const struct blob *blob, size_t cut)
{
    unsigned char bytes[1100];
    size_t length = 8 + 16u * blob->entries;
    cleanup_free char *path = xprintf("%s/var/lib/rpm/rpmdb.sqlite", root);
    sqlite3 *db;
    sqlite3_stmt *insert;

    put(bytes, blob->entries);
    put(bytes + 4, blob->size);
    memcpy(bytes + 8, blob->index, 16u * blob->entries);
    memcpy(bytes + length, blob->data, blob->size);
    length += blob->size;
    shell("mkdir -p var/lib/rpm");
    cr_assert_eq(sqlite3_open(path, &db), SQLITE_OK);
    sqlite3_exec(db, "CREATE TABLE IF NOT EXISTS Packages (hnum INTEGER PRIMARY KEY, blob BLOB)",
                 NULL, NULL, NULL);
    cr_assert_eq(
        sqlite3_prepare_v2(db, "INSERT INTO Packages (blob) VALUES (?)", -1, &insert, NULL),
        SQLITE_OK);
    sqlite3_bind_blob(insert, 1, bytes, (int)(length - cut), SQLITE_STATIC);
    cr_assert_eq(sqlite3_step(insert), SQLITE_DONE);
    sqlite3_finalize(insert);
    sqlite3_close(db);
}

Test(package_managers, a_header_that_is_cut_off_costs_its_own_package_alone_and_is_said)
{
    struct blob blob = tide();
    uint32_t ebb = want("/usr/bin/ebb");

    store(&blob, 1);
    store(&blob, 0);
    check_trouble("rpmdb.sqlite: cannot be read (headers of packages in it make no sense)");
    check_owner(ebb, "rpm:tide 1-1");
}

Test(package_managers, numbers_in_a_header_that_point_outside_it_are_not_followed)
{
    uint32_t ebb = want("/usr/bin/ebb");

    for (uint32_t entry = 1; entry < 6; entry++)
        for (int field = 2; field < 4; field++) {
            struct blob blob = tide();

            put(blob.index + 16u * entry + 4 * field, 0x7ffffff0);
            store(&blob, 0);
            put(blob.index + 16u * entry + 4 * field, 0xffffffff);
            store(&blob, 0);
        }
    scan();
    cr_assert_not_null(packages_owner(packages, ebb));
}

Test(package_managers, a_file_that_rpm_left_out_is_not_the_packages)
{
    struct blob blob = tide();
    uint32_t ebb = want("/usr/bin/ebb"), flow = want("/usr/bin/flow");

    add(&blob, 1029, 1, 2, "\2\0", 2);
    store(&blob, 0);
    scan();
    check_owner(ebb, NULL);
    check_owner(flow, "rpm:tide 1-1");
}

Test(package_managers, a_table_that_never_ends_is_given_up)
{
    want("/usr/bin/ebb");
    shell("mkdir -p var/lib/rpm && sqlite3 var/lib/rpm/rpmdb.sqlite 'CREATE VIEW Packages AS"
          " WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
          " SELECT NULL AS blob FROM n WHERE i < 0'");
    check_trouble("rpmdb.sqlite: cannot be read (interrupted)");
}

Test(package_managers, the_older_databases_of_rpm_are_named_as_not_read)
{
    want("/usr/bin/ebb");
    write_text("var/lib/rpm/Packages", "x");
    check_trouble("/var/lib/rpm/Packages: cannot be read (a Berkeley DB");
}

Test(package_managers, a_file_that_is_no_database_is_named)
{
    want("/usr/bin/ebb");
    write_text("usr/lib/sysimage/rpm/rpmdb.sqlite", "certainly not a database, but long enough");
    check_trouble("rpmdb.sqlite: cannot be read (file is not a database)");
}

/* --- apk and pacman ----------------------------------------------------------------------------
 */

Test(package_managers, the_database_of_apk_says_who_owns_a_file)
{
    uint32_t shell_ = want("/bin/busybox"), top = want("/init"), bin = want("/bin"),
             folder = want("/usr/share/x"), evil = want("/etc/passwd");

    write_text("lib/apk/db/installed", "C:Q1abc=\nP:alpine-baselayout\nV:3.4-r0\nF:bin\nM:0:0:755\n"
                                       "F:\nR:init\na:0:0:755\nF:usr/share/x\n\n"
                                       "P:busybox\nV:1.36.1-r2\nF:bin\nR:busybox\nZ:Q1x=\n"
                                       "F:usr/share/x\nF:usr/../etc\nR:passwd\n\n"
                                       "F:lost\nR:file\n\nP:bad name\nV:1\nF:etc\nR:passwd\n\n"
                                       "P:last\nV:2\nF:opt\nR:end");
    scan();
    check_owner(shell_, "apk:busybox 1.36.1-r2");
    check_owner(top, "apk:alpine-baselayout 3.4-r0");
    check_owner(bin, "apk:alpine-baselayout 3.4-r0");
    check_owner(folder, "apk:alpine-baselayout 3.4-r0");
    check_owner(evil, NULL);
}

Test(package_managers, a_database_that_pacman_made_says_who_owns_a_file)
{
    uint32_t header = want("/usr/include/crane/hook.h"), folder = want("/usr/include/crane"),
             other = want("/usr/include/crane/other.h");

    write_text("make/usr/include/crane/hook.h", "x\n");
    write_text("make/.PKGINFO", "pkgname = crane\npkgbase = crane\npkgver = 2:1.4-3\npkgdesc = x\n"
                                "url = http://x.example\nbuilddate = 1700000000\npackager = x\n"
                                "size = 2\narch = any\nlicense = MIT\n");
    shell("tar -C make -cf crane.pkg.tar .PKGINFO usr && mkdir -p var/lib/pacman cache");
    shell("pacman --root %s --dbpath %s/var/lib/pacman --cachedir %s/cache --logfile /dev/null"
          " --config /dev/null --noconfirm -U crane.pkg.tar",
          root, root, root);
    scan();
    check_owner(header, "pacman:crane 2:1.4-3");
    check_owner(folder, "pacman:crane 2:1.4-3");
    check_owner(other, NULL);
}

Test(package_managers, a_package_of_pacman_without_a_name_owns_nothing)
{
    uint32_t file = want("/usr/bin/x"), backup = want("/etc/x.conf");

    write_text("var/lib/pacman/local/x-1/desc", "%NAME%");
    write_text("var/lib/pacman/local/x-1/files", "%FILES%\nusr/bin/x\n");
    write_text("var/lib/pacman/local/y-1/desc", "%NAME%\ny\n");
    write_text("var/lib/pacman/local/y-1/files", "%FILES%\n\n%BACKUP%\netc/x.conf\n");
    scan();
    check_owner(file, NULL);
    check_owner(backup, NULL);
}

Test(package_managers, what_one_manager_owns_no_later_one_takes)
{
    uint32_t file = want("/usr/bin/x");

    write_text("var/lib/dpkg/info/first.list", "/usr/bin/x\n");
    write_text("var/lib/dpkg/status", "Package: first\nVersion: 1\n");
    write_text("lib/apk/db/installed", "P:second\nV:1\nF:usr/bin\nR:x\n");
    scan();
    check_owner(file, "first 1");
}

/* --- Python ------------------------------------------------------------------------------------
 */

Test(package_managers, a_virtual_environment_tells_its_distributions)
{
    static const char *const files[] = {"pip/__init__.py", "pip",
                                        "pip/__pycache__/__init__.cpython-399.pyc"};
    cleanup_free char *pattern = xprintf("%s/env/lib/python3*/site-packages/pip-*.dist-info", root);
    cleanup_free char *owner = NULL;
    uint32_t questions[4] = {want("/env/bin/pip")};
    const char *name;
    glob_t found;

    shell("python3 -m venv env");
    cr_assert_eq(glob(pattern, 0, NULL, &found), 0);
    name = strrchr(found.gl_pathv[0], '/') + 1;
    for (size_t i = 0; i < 3; i++) {
        cleanup_free char *path =
            xprintf("%.*s%s", (int)(name - found.gl_pathv[0] - (long)strlen(root)),
                    found.gl_pathv[0] + strlen(root), files[i]);

        questions[i + 1] = want(path);
    }
    owner = xprintf("python:pip %.*s", (int)(strlen(name) - strlen("pip-.dist-info")),
                    name + strlen("pip-"));
    scan();
    for (size_t i = 0; i < 4; i++)
        check_owner(questions[i], owner);
    globfree(&found);
}

Test(package_managers, a_list_of_python_files_is_believed_within_its_environment_alone)
{
    const char *library = "env/lib/python3.11/site-packages";
    uint32_t module = want("/env/lib/python3.11/site-packages/a,b/\"c.py");
    uint32_t outside = want("/etc/passwd"), absolute = want("/usr/bin/x"), bin = want("/env/bin/x");
    uint32_t own = want("/env/lib/python3.11/site-packages/good-1.dist-info/RECORD");
    uint32_t both = want("/env/lib/python3.11/site-packages/shared");
    cleanup_free char *info = xprintf("%s/good-1.dist-info", library);
    cleanup_free char *record = xprintf("%s/RECORD", info);
    cleanup_free char *metadata = xprintf("%s/METADATA", info);

    write_text(record, "\"a,b/\"\"c.py\",sha256=x,1\r\n../../../../../etc/passwd,,\n/usr/bin/x,,\n"
                       "../../../bin/x,,\ngood-1.dist-info/RECORD,,\nshared/one.py,,\n\"no end");
    write_text(metadata, "Metadata-Version: 2.1\nName: good\nVersion: 1\n\nName: evil\n");
    write_text("env/lib/python3.11/site-packages/other.egg-info/PKG-INFO", "Name: other\n");
    write_text("env/lib/python3.11/site-packages/other.egg-info/installed-files.txt",
               "../shared/two.py\n");
    write_text("env/lib/python3.11/site-packages/nameless.dist-info/RECORD", "a,b/c.py\n");
    scan();
    check_owner(module, "python:good 1");
    check_owner(bin, "python:good 1");
    check_owner(own, "python:good 1");
    check_owner(outside, NULL);
    check_owner(absolute, NULL);
    check_owner(both, NULL);
}

/* --- npm ---------------------------------------------------------------------------------------
 */

Test(package_managers, a_file_below_node_modules_belongs_to_the_innermost_package)
{
    uint32_t outer = want("/p/node_modules/left-pad/index.js");
    uint32_t scoped = want("/p/node_modules/@types/node/fs.d.ts");
    uint32_t inner = want("/p/node_modules/left-pad/node_modules/deep/lib/a.js");
    uint32_t folder = want("/p/node_modules/left-pad"), link = want("/p/node_modules/.bin/pad");
    uint32_t scope = want("/p/node_modules/@types"), modules = want("/p/node_modules/");

    write_text("p/node_modules/left-pad/package.json",
               "{\"name\": \"left-pad\", \"version\": \"1.3.0\", \"x\": {\"version\": \"9\"}}");
    write_text("p/node_modules/@types/node/package.json",
               "{\"name\": \"@types/node\", \"version\": \"20.1.0\"}");
    write_text("p/node_modules/left-pad/node_modules/deep/package.json", "{\"name\": \"deep\"}");
    scan();
    check_owner(outer, "npm:left-pad 1.3.0");
    check_owner(folder, "npm:left-pad 1.3.0");
    check_owner(scoped, "npm:@types/node 20.1.0");
    check_owner(inner, "npm:deep");
    check_owner(link, NULL);
    check_owner(scope, NULL);
    check_owner(modules, NULL);
}

Test(package_managers, a_description_that_is_no_json_or_names_nothing_fit_owns_nothing)
{
    static const char nul[] = "{\"name\": \"a\0b\"}";
    static const char *const texts[] = {"",
                                        "{",
                                        "[1]",
                                        "{\"name\": 5}",
                                        "{\"name\": \"\"}",
                                        "{\"name\": \"a\\nb\"}",
                                        "{\"name\": \"a b\"}",
                                        "{\"name\": {\"name\": \"x\"}}"};
    cleanup_free char *deep = xcalloc(200001, 1);
    uint32_t files[10];

    for (size_t i = 0; i < 8; i++) {
        cleanup_free char *name = xprintf("p/node_modules/n%zu/package.json", i);
        cleanup_free char *path = xprintf("/%s", name);

        write_text(name, texts[i]);
        files[i] = want(path);
    }
    memset(deep, '[', 200000);
    write_text("p/node_modules/n8/package.json", deep);
    files[8] = want("/p/node_modules/n8/package.json");
    write_bytes("p/node_modules/n9/package.json", nul, sizeof nul - 1);
    files[9] = want("/p/node_modules/n9/package.json");
    scan();
    for (size_t i = 0; i < 10; i++)
        check_owner(files[i], NULL);
}
