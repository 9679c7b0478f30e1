// SPDX-License-Identifier: MIT
//
// The tree of processes. A row's inside, and with it the next level, is made when it is opened.

const CHILDREN_AT_ONCE = 200;

const processRows = new Map();
const processView = {search: "", which: "all", flat: false, growing: null};

const WHICH = {
    all: ["all, as a tree", () => true],
    failed: ["that failed", (process) => process.failed],
    using: ["with findings", (process) => process.findings.some((finding) => !finding.waived)],
    blind: ["without the shim", (process) => process.shim !== "loaded"],
};

function processLink(process) {
    return make("a", {href: `#process-${process.number}`}, make("code", {},
        cut(process.command, 300)));
}

function timing(process) {
    return process.open ? "never seen to end" : `took ${duration(process.ended -
        process.started)}`;
}

function addFact(list, title, ...content) {
    list.append(make("div", {}, make("dt", {}, title), make("dd", {}, ...content)));
}

function processFacts(process) {
    const facts = make("dl", {class: "facts"});
    addFact(facts, "pid", String(process.pid));
    addFact(facts, "begun by", process.how);
    addFact(facts, "at", duration(process.started));
    if (process.open)
        addFact(facts, "ended", "not seen");
    else
        addFact(facts, "took", duration(process.ended - process.started));
    if (process.signal)
        addFact(facts, "ended by", `SIG${process.signal}`);
    else if (process.status >= 0)
        addFact(facts, "exit status", String(process.status));
    addFact(facts, "shim", process.shim);
    if (process.exe)
        addFact(facts, "program", make("code", {}, process.exe));
    if (process.cwd)
        addFact(facts, "in", make("code", {}, process.cwd));
    return facts;
}

// The process itself, and the fork that became it.
function images(process) {
    return process.parent && process.parent.became === process ? [process.parent, process]
        : [process];
}

// Finding -> different members that this process used of it.
function usesByFinding(process) {
    const uses = new Map();
    for (const image of images(process))
        eachUse(image, (member) => {
            if (!uses.has(member.finding))
                uses.set(member.finding, new Set());
            uses.get(member.finding).add(member);
        });
    return [...uses].sort(([one], [other]) => ORDERS.severity(one, other));
}

function usedItem([finding, used]) {
    const severity = SEVERITIES[finding.severity];
    const names = new Set([...used].map((member) => member.subject));
    const some = [...names].slice(0, 3).filter((name) => name !== finding.label);
    return make("li", {}, make("span", {class: `severity ${severity}`}, severity), " ",
        make("a", {href: `#${finding.id}`}, make("code", {}, finding.label)),
        finding.waived ? " waived" : "",
        some.length ? make("span", {class: "muted"}, ` ${some.join(", ")}` +
            (names.size > 3 ? ` and ${show(names.size - 3)} more` : "")) : "");
}

function childrenList(process) {
    const list = make("ul", {class: "tree"});
    const growing = growingList(list, childrenInTree(process), CHILDREN_AT_ONCE, processRow,
        "processes");
    return {element: make("div", {}, list, growing.more), show: growing.show};
}

function addUses(process, inside) {
    const uses = usesByFinding(process);
    if (!uses.length)
        return;
    const list = make("ul", {class: "used"});
    const growing = growingList(list, uses, 12, usedItem, "findings");
    inside.append(make("details", {open: !process.children.length}, make("summary", {},
        `What it used without declaring it: ${count(uses.length, "finding")}`), list,
    growing.more));
}

function processInside(row, process) {
    const inside = make("div", {class: "inside"}, processFacts(process));
    if (process.command.length > 80)
        inside.append(codeBlock(process.command));
    addUses(process, inside);
    row.element.firstChild.append(inside);
    if (processView.flat && process.parent)
        inside.prepend(chainList(process.parent));
    if (processView.flat || !process.children.length)
        return;
    row.children = childrenList(process);
    row.element.firstChild.append(row.children.element);
}

function processRow(process) {
    const known = processRows.get(process);
    if (known)
        return known.element;
    const row = {children: null};
    const end = ending(process);
    const open = new Set(images(process).flatMap((image) => image.findings)
        .filter((finding) => !finding.waived)).size;
    const summary = make("summary", {id: `process-${process.number}`},
        make("code", {class: "command"}, cut(process.command, 300)),
        process.how === "fork" ? make("span", {class: "mark"}, "fork") : "",
        end ? make("span", {class: "mark failed"}, end) : "",
        process.failedBelow ? make("span", {class: "mark"},
            `${show(process.failedBelow)} failed below`) : "",
        make("span", {class: "amount"}, open ? count(open, "finding") : ""),
        make("span", {class: "amount"}, process.open ? "" : duration(process.ended -
            process.started)));
    const details = make("details", {}, summary);
    row.element = make("li", {}, details);
    details.addEventListener("toggle", (event) => {
        if (event.target === details && details.open)
            fillProcess(row, process);
    });
    processRows.set(process, row);
    return row.element;
}

function fillProcess(row, process) {
    if (row.filled)
        return;
    row.filled = true;
    processInside(row, process);
}

// A search and the choices but "all" show a flat list.
function showProcesses() {
    const wanted = processView.search.trim().toLowerCase();
    const holder = byId("process-list");
    const flat = wanted !== "" || processView.which !== "all";
    processView.flat = flat;
    const items = flat ? processes.filter((process) => WHICH[processView.which][1](process) &&
        !process.became && process.command.toLowerCase().includes(wanted)) : roots.map(inTree);
    processRows.clear();
    holder.replaceChildren();
    processView.growing = growingList(holder, items, CHILDREN_AT_ONCE, processRow, "processes");
    byId("process-more").replaceChildren(processView.growing.more);
    byId("process-count").textContent = flat
        ? `${show(items.length)} of ${count(processes.length, "process", "processes")}`
        : count(processes.length, "process", "processes");
    if (!flat && roots.length === 1)
        openProcess(items[0]);
}

function openProcess(process) {
    const row = processRows.get(process);
    fillProcess(row, process);
    row.element.firstChild.open = true;
    return row;
}

// Opens the way down to a process and puts the focus there.
function revealProcess(id) {
    const wanted = processes[Number(id.slice("process-".length))];
    const process = wanted && inTree(wanted);
    if (!process)
        return false;
    if (processView.search || processView.which !== "all") {
        Object.assign(processView, {search: "", which: "all"});
        byId("process-form").reset();
        showProcesses();
    }
    const way = chain(process);
    processView.growing.show(roots.map(inTree).indexOf(way[0]));
    way.slice(0, -1).forEach((step, place) =>
        openProcess(step).children.show(childrenInTree(step).indexOf(way[place + 1])));
    openProcess(process);
    byId(`process-${process.number}`).focus();
    byId(`process-${process.number}`).scrollIntoView({block: "center"});
    return true;
}

function addProcesses() {
    const form = make("form", {id: "process-form", class: "filters", role: "search",
        "aria-label": "Processes", submit: (event) => event.preventDefault()},
    make("label", {class: "search"}, make("span", {}, "Search"),
        make("input", {type: "search", name: "search", autocomplete: "off", spellcheck: "false",
            placeholder: "command line"})),
    make("label", {}, make("span", {}, "Show"), make("select", {name: "which"},
        ...Object.entries(WHICH).map(([value, [title]]) => make("option", {value}, title)))));
    form.addEventListener("input", () => {
        processView.search = form.elements.search.value;
        processView.which = form.elements.which.value;
        showProcesses();
    });
    byId("processes").append(form, make("p", {id: "process-count", role: "status"}),
        make("ul", {id: "process-list", class: "tree"}), make("div", {id: "process-more"}));
    showProcesses();
}
