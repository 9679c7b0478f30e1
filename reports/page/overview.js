// SPDX-License-Identifier: MIT
//
// What the run was, what it comes to by channel and severity, and what the evidence rests on.

const MOST_CATEGORIES = 8;

function describeRun() {
    const parts = [`Run ${run.id}`, new Date(run.started).toLocaleString(undefined,
        {dateStyle: "medium", timeStyle: "short"})];
    if (run.ended)
        parts.push(`took ${duration((run.ended - run.started) * 1000)}`);
    if (!run.ended)
        parts.push("never ended");
    else if (run.signal)
        parts.push(`ended by SIG${run.signal}`);
    else
        parts.push(`exit status ${run.status}`);
    if (run.interrupted)
        parts.push(`interrupted by SIG${run.interrupted}`);
    const failed = processes.filter((process) => process.failed).length;
    parts.push(count(processes.length, "process", "processes") +
        (failed ? `, ${show(failed)} failed` : ""));
    parts.push(`mode ${run.mode}, witness ${run.witness}`, `${run.host}, ${run.machine}`);
    byId("facts").append(parts.join(" · "), make("br"),
        run.manifest ? "Judged by " : "No manifest: declared is what lies below ",
        make("code", {}, run.manifest || run.root));
}

function addVerdict(section) {
    const open = findings.filter((finding) => !finding.waived);
    const known = open.filter((finding) => finding.known).length;
    const waived = findings.length - open.length;
    const bySeverity = [2, 1, 0].map((severity) =>
        [open.filter((finding) => finding.severity === severity).length, SEVERITIES[severity]]);
    const notes = bySeverity.filter(([many]) => many).map(([many, word]) => count(many, word));
    if (known)
        notes.push(`${show(known)} known from the baseline`);
    if (waived)
        notes.push(`${show(waived)} waived`);
    section.append(make("p", {class: "verdict"},
        make("strong", {}, open.length ? count(open.length, "undeclared finding")
            : "Nothing undeclared"),
        notes.length ? `: ${notes.join(", ")}. ` : ". ",
        make("a", {href: "#evidence"}, run.complete ? "Evidence complete"
            : run.sufficient ? "Evidence incomplete, which is accepted"
                : "Evidence incomplete"),
        run.complete ? ": every process was observed."
            : `: ${count(data.blind.length, "kind")} of blind spots.`));
}

// A number that narrows the list of findings to what it counts.
function countCell(many, label, settings) {
    if (!many)
        return make("td", {class: "none"}, "–");
    return make("td", {}, make("button", {type: "button", class: "number",
        "aria-label": `Show ${label}`, click: () => {
            setFilters(settings);
            byId("findings").focus();
        }}, show(many)));
}

function channelRow(name, title, list, uses, declared) {
    const open = list.filter((finding) => !finding.waived);
    return make("tr", {},
        make("th", {scope: "row"}, title),
        ...[2, 1, 0].map((severity) => {
            const many = open.filter((finding) => finding.severity === severity).length;
            return countCell(many, `${count(many, SEVERITIES[severity])} in ${title}`,
                {channel: name, severity: String(severity), verdict: "undeclared"});
        }),
        countCell(list.length - open.length, `${show(list.length - open.length)} waived in ${title}`,
            {channel: name, verdict: "waived"}),
        make("td", {}, show(uses)), make("td", {}, show(declared)));
}

function channelTable() {
    const sum = (field) => channels.reduce((all, channel) => all + channel[field], 0);
    return make("div", {class: "wide", tabindex: "0", role: "region",
        "aria-label": "Findings by channel and severity"},
    make("table", {class: "counts"},
        make("thead", {}, make("tr", {},
            ...["Channel", "Errors", "Warnings", "Notes", "Waived", "Uses", "Declared"].map((head) => make("th", {scope: "col"}, head)))),
        make("tbody", {}, ...channels.map((channel, number) => channelRow(String(number),
            channel.title, findings.filter((finding) => finding.channel === number),
            channel.occurrences, channel.declared))),
        make("tfoot", {}, channelRow("", "All channels", findings, sum("occurrences"),
            sum("declared")))));
}

function categoryTable() {
    const open = findings.filter((finding) => !finding.waived);
    const rows = categories.map((category, number) => ({title: category.title, number,
        list: open.filter((finding) => finding.category === number)}))
        .filter((row) => row.list.length)
        .sort((one, other) => other.list.length - one.list.length);
    return rows.length && make("div", {class: "wide", tabindex: "0", role: "region",
        "aria-label": "Findings by category"},
    make("table", {class: "counts"},
        make("thead", {}, make("tr", {}, ...["Category", "Findings"].map((head) =>
            make("th", {scope: "col"}, head)))),
        make("tbody", {}, ...rows.slice(0, MOST_CATEGORIES).map((row) => make("tr", {},
            make("th", {scope: "row"}, row.title),
            countCell(row.list.length, `${count(row.list.length, "finding")}: ${row.title}`,
                {category: String(row.number), verdict: "undeclared"})))),
        rows.length > MOST_CATEGORIES && make("tfoot", {}, make("tr", {}, make("td",
            {colspan: "2", class: "muted"}, `and ${count(rows.length - MOST_CATEGORIES,
                "more category", "more categories")}`)))));
}

function describeObservers() {
    const certificate = data.certificate;
    const all = certificate.shims.length === 1;
    const shims = certificate.shims.map((shim) => {
        const name = string(shim.name);
        return `${all ? "all" : show(shim.processes)} ${name === "loaded" ? "with the shim" : name}`;
    });
    let line = `${count(processes.length, "process", "processes")}: ${shims.join(", ")}. ` +
        `Accesses: ${show(certificate.shim)} by the shim`;
    if (certificate.witness)
        line += `, ${show(certificate.witness)} by the kernel witness`;
    if (certificate.confirmed)
        line += `, ${show(certificate.confirmed)} of these by both`;
    return line + ".";
}

// Never rounded up: 100% is all of them.
const share = (part, whole) => (part === whole ? "100%"
    : `${(Math.floor(part * 1000 / whole) / 10).toFixed(1)}%`);

function addRecall(section) {
    const rows = data.certificate.recall.map((row, number) => ({...row, channel: channels[number]}))
        .filter((row) => row.seen);
    if (!rows.length)
        return;
    section.append(make("h3", {}, "Recall of the shim"),
        make("p", {}, "Of the accesses that the kernel saw in processes with the shim, how many " +
            "the shim has recorded."),
        make("table", {class: "counts"},
            make("thead", {}, make("tr", {},
                ...["Channel", "Seen", "Recorded", "Share"].map((head) =>
                    make("th", {scope: "col"}, head)))),
            make("tbody", {}, ...rows.map((row) => make("tr", {},
                make("th", {scope: "row"}, row.channel.title), make("td", {}, show(row.seen)),
                make("td", {}, show(row.recorded)),
                make("td", {}, share(row.recorded, row.seen)))))));
    if (!data.certificate.missed.length)
        return;
    const list = make("ul", {});
    const growing = growingList(list, data.certificate.missed, 20, (missed) => make("li", {},
        make("code", {}, string(missed.subject)),
        ` ${string(missed.operation)}, ${count(missed.processes, "process", "processes")}`),
    "names");
    section.append(make("h3", {}, "Missed by the shim"), list, growing.more);
}

function blindSpot(blind) {
    const where = make("ul", {class: "inline"});
    const growing = growingList(where, blind.where, 20, (name) => make("li", {},
        make("code", {}, string(name))), "names");
    return make("li", {},
        make("strong", {}, string(blind.name)), blind.accepted ? ", accepted: " : ": ",
        string(blind.text), blind.count > 1 ? `, ${show(blind.count)} times` : "",
        where, growing.more,
        blind.accepted || !string(blind.remedy) ? null
            : make("p", {}, `What to do: ${string(blind.remedy)}.`));
}

function addEvidence() {
    const section = byId("evidence");
    section.append(
        make("p", {}, make("strong", {}, run.complete ? "Complete" : "Incomplete"),
            run.complete ? ": every process was observed. "
                : ": there may be more than is shown here. ", describeObservers()));
    if (data.cut)
        section.append(make("p", {}, "This page has no room for all that was used: the counts " +
            "are of everything, but not every name stands here, nor under each process what it " +
            "used. The JSON report has all of it."));
    if (!run.ended)
        section.append(make("p", {}, "The run never ended: its records may stop anywhere."));
    if (data.blind.length)
        section.append(make("h3", {}, "Blind spots"),
            make("ul", {class: "blind"}, ...data.blind.map(blindSpot)));
    addRecall(section);
    if (data.waivers.length)
        section.append(make("h3", {}, "Waivers that matched nothing"),
            make("ul", {}, ...data.waivers.map((waiver) => make("li", {}, `line ${waiver.line}: `,
                make("code", {}, string(waiver.text))))));
    section.append(make("p", {class: "muted"}, `Made by tallyman ${run.tool}.`));
}

function addOverview() {
    describeRun();
    addVerdict(byId("overview"));
    byId("overview").append(make("div", {class: "beside"}, channelTable(), categoryTable() || ""));
    addEvidence();
}
