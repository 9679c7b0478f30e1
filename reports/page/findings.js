// SPDX-License-Identifier: MIT
//
// The list of findings: filters over the data, rows made when they are shown, and the inside of a
// row when it is opened.

const ROWS_AT_ONCE = 200;

const filters = {search: "", channel: "", category: "", severity: "", verdict: "undeclared",
    known: "", program: "", order: "severity"};

const ORDERS = {
    severity: (one, other) => other.severity - one.severity || one.known - other.known ||
        one.channel - other.channel || other.subjects - one.subjects,
    channel: (one, other) => one.channel - other.channel || other.severity - one.severity,
    uses: (one, other) => other.count - one.count,
    first: (one, other) => (one.first > other.first) - (one.first < other.first),
};

const anyKnown = findings.some((finding) => finding.known);

const findingList = {shown: [], rows: new Map(), matching: null, growing: null};

// --- which of them ---

// For each string of the table: does it contain what is searched for?
function matchStrings(search) {
    const wanted = search.toLowerCase();
    return data.strings.map((text) => text.toLowerCase().includes(wanted));
}

function isFound(finding, matching, wanted) {
    return [finding.fingerprint, finding.subject, finding.label, finding.path,
        categories[finding.category].title].some((text) => text.toLowerCase().includes(wanted)) ||
        finding.members.some((member) => member.strings.some((text) => matching[text])) ||
        finding.processes.some((process) => process.program.toLowerCase().includes(wanted));
}

function isWanted(finding) {
    return (filters.channel === "" || finding.channel === Number(filters.channel)) &&
        (filters.category === "" || finding.category === Number(filters.category)) &&
        (filters.severity === "" || finding.severity === Number(filters.severity)) &&
        (filters.verdict === "" || finding.waived === Number(filters.verdict === "waived")) &&
        (filters.known === "" || finding.known === Number(filters.known === "known")) &&
        (filters.program === "" ||
            finding.processes.some((process) => process.program === filters.program));
}

function chooseFindings() {
    const wanted = filters.search.trim().toLowerCase();
    const matching = wanted ? matchStrings(wanted) : null;
    findingList.matching = matching;
    findingList.shown = findings.filter((finding) => isWanted(finding) &&
        (!wanted || isFound(finding, matching, wanted))).sort(ORDERS[filters.order]);
}

// --- the inside of one ---

function memberRow(member, columns) {
    const name = make("td", {class: "name"}, make("code", {}, member.subject));
    if (member.resolved)
        name.append(make("div", {class: "muted"}, "→ ", make("code", {}, member.resolved)));
    if (member.passing)
        name.append(make("div", {class: "muted"}, "temporary: made and removed by the build"));
    const row = make("tr", {}, name, make("td", {}, member.operation),
        make("td", {}, member.outcome), make("td", {class: "amount"}, show(member.count)),
        make("td", {}, member.witness ? "witness" : "shim"));
    if (columns.pack)
        row.append(make("td", {}, member.pack));
    if (columns.digest)
        row.append(make("td", {class: "name"}, make("code", {}, member.digest)));
    return row;
}

// Those that the search matches come first.
function fillMembers(finding, holder) {
    const matching = findingList.matching;
    const isMatch = (member) => member.strings.some((text) => matching[text]);
    let items = finding.members;
    let caption = count(finding.uses, "use", "different uses");
    if (finding.uses > items.length)
        caption += `, the first ${show(items.length)} of them here`;
    const found = matching ? items.filter(isMatch) : [];
    if (found.length && found.length < items.length) {
        items = [...found, ...items.filter((member) => !isMatch(member))];
        caption += `; ${show(found.length)} that match the search first`;
    }
    const columns = {pack: items.some((member) => member.pack !== items[0].pack) ||
        (items[0].pack && items[0].pack !== finding.label),
        digest: items.some((member) => member.digest)};
    const heads = ["Name", "Use", "Outcome", "Times", "Seen by"];
    if (columns.pack)
        heads.push("Package");
    if (columns.digest)
        heads.push("SHA-256");
    const body = make("tbody");
    const growing = growingList(body, items, 50, (member) => memberRow(member, columns), "uses");
    holder.replaceChildren(make("table", {class: "members"}, make("caption", {}, caption),
        make("thead", {}, make("tr", {}, ...heads.map((head) =>
            make("th", {scope: "col"}, head)))), body), growing.more);
}

function chainList(process) {
    return make("ol", {class: "chain"}, ...chain(process).map((step) => make("li", {},
        processLink(step), step.how === "fork" ? make("span", {class: "muted"}, " fork") : null)));
}

function addUsers(finding, holder) {
    const others = finding.processes.filter((process) => process.number !== finding.process);
    const more = finding.users - 1 - others.length;
    holder.append(make("div", {}, "First by:"), chainList(processes[finding.process]));
    if (finding.users < 2)
        return;
    const list = make("ul", {class: "others"});
    const growing = growingList(list, others, 10, (process) => make("li", {},
        processLink(process)), "processes");
    holder.append(make("details", {}, make("summary", {},
        `and by ${count(finding.users - 1, "more process", "more processes")}`), list,
    growing.more, more > 0 ? make("p", {}, `and ${show(more)} that this page has no room for`)
        : ""));
}

function codeBlock(text) {
    const code = make("code", {}, text);
    return make("div", {class: "code"}, make("pre", {tabindex: "0"}, code), copyButton(code));
}

function entry(list, title, ...content) {
    list.append(make("dt", {}, title), make("dd", {}, ...content));
}

function describeUse(finding) {
    const category = categories[finding.category];
    let line = `${category.title}: ${finding.operation}, ${count(finding.count, "use")} of ` +
        `${count(finding.subjects, "name")} by ` +
        `${count(finding.users, "process", "processes")}`;
    if (finding.first < Infinity)
        line += `, first ${duration(finding.first)} after the start`;
    return line + (finding.service ? `. ${finding.service}.` : ".");
}

function findingBody(finding) {
    const category = categories[finding.category];
    const list = make("dl");
    const users = make("div");
    const uses = make("div", {class: "wide", tabindex: "0", role: "region",
        "aria-label": `What was used of ${finding.label}`});
    entry(list, "What", describeUse(finding));
    entry(list, "Why it matters", category.why);
    entry(list, "What to do", finding.remedy || category.remedy);
    if (finding.declaration)
        entry(list, "Declare it", codeBlock(finding.declaration));
    if (finding.waiver)
        entry(list, "Waive it", codeBlock(finding.waiver));
    if (finding.path)
        entry(list, "Where to look", make("code", {},
            finding.line ? `${finding.path}:${finding.line}` : finding.path));
    entry(list, "Who", users);
    addUsers(finding, users);
    entry(list, "Fingerprint", make("code", {}, finding.fingerprint),
        make("span", {class: "muted"}, ` ${channels[finding.channel].name}, ` +
            `${finding.group} ${finding.subject}`));
    fillMembers(finding, uses);
    return {element: make("div", {class: "inside"}, list, uses),
        refresh: () => fillMembers(finding, uses)};
}

// --- the rows ---

function findingMarks(finding) {
    const marks = [];
    if (finding.waived)
        marks.push("waived");
    if (anyKnown)
        marks.push(finding.known ? "known" : "new");
    return marks.map((mark) => make("span", {class: "mark"}, mark));
}

function userSummary(finding) {
    const programs = programCounts(finding.processes);
    const named = programs.slice(0, 2).map(([program, many]) =>
        (many > 1 ? `${program} ×${show(many)}` : program));
    return named.join(", ") + (programs.length > 2 ? ` and ${programs.length - 2} more` : "");
}

function findingRow(finding) {
    const known = findingList.rows.get(finding);
    if (known)
        return known.element;
    const severity = SEVERITIES[finding.severity];
    const row = {body: null};
    row.element = make("details", {id: finding.id, class: "finding"}, make("summary", {},
        make("span", {class: `severity ${severity}`}, severity),
        make("span", {class: "label"}, make("code", {}, finding.label),
            ...findingMarks(finding)),
        make("span", {class: "about"},
            make("span", {}, categories[finding.category].title),
            make("span", {}, finding.what),
            make("span", {}, userSummary(finding))),
        make("span", {class: "amount"}, show(finding.count),
            make("span", {class: "unit"}, finding.count === 1 ? " use" : " uses"))));
    row.element.addEventListener("toggle", () => {
        if (!row.element.open || row.body)
            return;
        row.body = findingBody(finding);
        row.element.append(row.body.element);
    });
    findingList.rows.set(finding, row);
    return row.element;
}

function showFindings() {
    const holder = byId("finding-list");
    chooseFindings();
    holder.replaceChildren();
    findingList.growing = growingList(holder, findingList.shown, ROWS_AT_ONCE, findingRow,
        "findings");
    byId("finding-more").replaceChildren(findingList.growing.more);
    for (const finding of findingList.shown) {
        const row = findingList.rows.get(finding);
        if (row && row.body)
            row.body.refresh();
    }
    const uses = findingList.shown.reduce((all, finding) => all + finding.count, 0);
    byId("finding-count").textContent =
        `${show(findingList.shown.length)} of ${count(findings.length, "finding")}, ` +
        `${count(uses, "use")}`;
    byId("finding-none").hidden = findingList.shown.length > 0;
    drawTimeline();
}

// --- the filters ---

function setFilters(settings) {
    Object.assign(filters, {search: "", channel: "", category: "", severity: "", verdict: "",
        known: "", program: ""}, settings);
    for (const control of byId("filters").elements)
        if (control.name)
            control.value = filters[control.name];
    showFindings();
}

function selector(name, title, options) {
    return make("label", {}, make("span", {}, title), make("select", {name},
        ...options.map(([value, text]) => make("option", {value,
            selected: value === filters[name]}, text))));
}

function counted(all, options) {
    return [["", all], ...options.filter(([, , many]) => many).map(([value, text, many]) =>
        [String(value), `${text} (${show(many)})`])];
}

const countFindings = (test) => findings.filter(test).length;

function filterForm() {
    const programs = programCounts(findings.flatMap((finding) =>
        [...new Map(finding.processes.map((process) => [process.program, process])).values()]));
    return make("form", {id: "filters", class: "filters", role: "search", "aria-label": "Findings",
        submit: (event) => event.preventDefault()},
    make("label", {class: "search"}, make("span", {}, "Search"),
        make("input", {type: "search", name: "search", autocomplete: "off", spellcheck: "false",
            placeholder: "path, variable, package, program, fingerprint"})),
    selector("severity", "Severity", counted("all", [2, 1, 0].map((severity) =>
        [severity, SEVERITIES[severity], countFindings((finding) =>
            finding.severity === severity)]))),
    selector("channel", "Channel", counted("all", channels.map((channel, number) =>
        [number, channel.name, countFindings((finding) => finding.channel === number)]))),
    selector("category", "Category", counted("all", categories.map((category, number) =>
        [number, category.title, countFindings((finding) => finding.category === number)]))),
    selector("verdict", "Verdict", [["", "all"], ["undeclared", "undeclared"],
        ["waived", "waived"]]),
    anyKnown ? selector("known", "Baseline", [["", "all"], ["new", "new"], ["known", "known"]])
        : null,
    selector("program", "Program", counted("all", programs.map(([program, many]) =>
        [program, program, many]))),
    selector("order", "Order", [["severity", "by severity"], ["channel", "by channel"],
        ["uses", "by uses"], ["first", "by first use"]]),
    make("button", {type: "button", click: () => setFilters({verdict: "undeclared"})}, "Reset"));
}

function addFindings() {
    const form = filterForm();
    form.addEventListener("input", () => {
        for (const control of form.elements)
            if (control.name)
                filters[control.name] = control.value;
        showFindings();
    });
    byId("findings").append(form,
        make("p", {id: "finding-count", role: "status"}),
        make("div", {id: "finding-list"}), make("div", {id: "finding-more"}),
        make("p", {id: "finding-none", hidden: true}, findings.length
            ? "No finding matches these filters." : "Nothing undeclared was used."));
    showFindings();
}

// Opens a finding, whatever the filters say.
function revealFinding(id) {
    const finding = findings.find((one) => one.id === id);
    if (!finding)
        return false;
    if (!findingList.shown.includes(finding))
        setFilters({});
    findingList.growing.show(findingList.shown.indexOf(finding));
    const row = findingList.rows.get(finding).element;
    row.open = true;
    row.querySelector("summary").focus();
    row.scrollIntoView();
    return true;
}
