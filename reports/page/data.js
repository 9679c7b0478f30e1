// SPDX-License-Identifier: MIT
//
// The data of the page, as html_data.c wrote it, made into objects; and the one function that makes
// elements. Text reaches the document as text nodes and attributes alone, never as markup.
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const string = (number) => data.strings[number];

const SEVERITIES = ["note", "warning", "error"];

// Children that are strings or numbers become text nodes.
function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
        if (typeof value === "function")
            element.addEventListener(name, value);
        else if (value !== false && value !== undefined)
            element.setAttribute(name, value === true ? "" : value);
    }
    element.append(...children.filter((child) => child !== null && child !== false && child !== ""));
    return element;
}

const byId = (id) => document.getElementById(id);
const digits = new Intl.NumberFormat("en");
const show = (number) => digits.format(number);
const count = (number, one, many = one + "s") => `${show(number)} ${number === 1 ? one : many}`;
const cut = (text, most) => (text.length > most ? text.slice(0, most - 1) + "…" : text);

function duration(microseconds) {
    const milliseconds = microseconds / 1000;
    if (milliseconds === 0)
        return "0 s";
    if (milliseconds < 1)
        return `${milliseconds.toFixed(2)} ms`;
    if (milliseconds < 1000)
        return `${milliseconds.toFixed(milliseconds < 10 ? 1 : 0)} ms`;
    if (milliseconds < 60000)
        return `${(milliseconds / 1000).toFixed(2)} s`;
    const seconds = Math.floor(milliseconds / 1000);
    return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

// Replaces the named fields, which are numbers of strings, by the strings.
function named(object, ...fields) {
    for (const field of fields)
        object[field] = string(object[field]);
    return object;
}

const run = named(data.run, "tool", "cwd", "root", "host", "machine", "mode", "witness", "manifest",
    "signal", "interrupted");
const channels = data.channels.map((channel) => named(channel, "name", "title"));
const categories = data.categories.map((category) => named(category, "title", "why", "remedy"));

// Members are numbered through all findings.
const members = [];
const findings = data.findings.map((finding, number) => {
    named(finding, "fingerprint", "class", "operation", "group", "subject", "label", "what",
        "service", "remedy", "declaration", "waiver", "path");
    finding.number = number;
    finding.id = `finding-${finding.fingerprint}${finding.waived ? "-waived" : ""}`;
    finding.members = finding.members.map((row) => {
        const [subject, resolved, pack, digest, operation, outcome, bits, times] = row;
        const member = {finding, strings: row.slice(0, 4), subject: string(subject),
            resolved: string(resolved), pack: string(pack), digest: string(digest),
            operation: string(operation), outcome: string(outcome), witness: bits & 1,
            passing: bits & 2, count: times};
        members.push(member);
        return member;
    });
    finding.processes = []; // in the order of their start
    finding.first = Infinity; // µs since the run's start
    return finding;
});

const processes = data.processes.map((row, number) => {
    const [parent, pid, how, program, exe, cwd, status, signal, started, ended, shim, block,
        words] = row;
    return {number, parent: null, above: parent, children: [], pid, how: string(how),
        program: string(program), exe: string(exe), cwd: string(cwd), status,
        signal: string(signal), started, ended, shim: string(shim), block,
        failed: status > 0 || signal !== 0, failedBelow: 0, findings: [],
        named: words.length > 0 && words[0] !== 0,
        command: words.map(string).join(" ") || string(exe) || "(unknown)"};
});
const roots = [];
for (const process of processes) {
    process.parent = process.above < 0 ? null : processes[process.above];
    (process.parent ? process.parent.children : roots).push(process);
}

// A fork that became a program and did nothing else is shown as part of that program.
for (const process of processes) {
    const [child] = process.children;
    const replaced = process.how === "fork" && process.children.length === 1 &&
        child.how === "exec";
    process.became = replaced ? child : null;
    if (process.how === "fork" && process.parent && !process.named)
        process.command = process.parent.command;
}

const inTree = (process) => process.became || process;
const childrenInTree = (process) => process.children.map(inTree);

// From the first process down to this one, as the tree shows them.
function chain(process) {
    const all = [];
    for (let at = process; at; at = at.parent)
        if (inTree(at) === at || at === process)
            all.push(at);
    return all.reverse();
}

for (const process of processes)
    if (process.failed)
        for (let at = process.parent; at; at = at.parent)
            at.failedBelow++;

// Calls take(member, µs since the run's start) for all that the process used.
function eachUse(process, take) {
    const uses = data.uses[process.number];
    for (let i = 0; i < uses.length; i += 2)
        take(members[uses[i]], process.started + uses[i + 1]);
    for (const member of process.block < 0 ? [] : data.blocks[process.block])
        take(members[member], process.started);
}

for (const process of processes)
    eachUse(process, (member, time) => {
        const finding = member.finding;
        finding.first = Math.min(finding.first, time);
        if (finding.processes[finding.processes.length - 1] === process)
            return;
        finding.processes.push(process);
        process.findings.push(finding);
    });

// What was never seen to end lasts to the end of the picture.
const lastMoment = processes.reduce((last, process) =>
    Math.max(last, process.started, process.ended),
run.ended ? Math.max((run.ended - run.started) * 1000, 1) : 1);
for (const process of processes) {
    process.open = process.ended < 0;
    if (process.open)
        process.ended = lastMoment;
}

function ending(process) {
    if (process.signal)
        return process.signal === "unknown" ? "killed" : `SIG${process.signal}`;
    return process.status > 0 ? `exit ${process.status}` : "";
}

// "cc1 ×34, gcc", most processes first.
function programCounts(list) {
    const counts = new Map();
    for (const process of list)
        counts.set(process.program, (counts.get(process.program) || 0) + 1);
    return [...counts].sort((one, other) => other[1] - one[1]);
}

// Shows `items` by `step` and a button for more; `render` makes the elements of one.
function growingList(holder, items, step, render, what) {
    let shown = 0;
    const more = make("button", {type: "button", class: "more", click: () => grow(step)});
    function grow(by) {
        const next = items.slice(shown, shown + by).map(render);
        shown += next.length;
        holder.append(...next);
        more.hidden = shown >= items.length;
        more.textContent = `Show ${show(Math.min(step, items.length - shown))} more ${what} ` +
            `(${show(items.length - shown)} left)`;
        if (next.length && shown > next.length && document.activeElement === more)
            (next[0].querySelector("a, summary, button") || next[0]).focus();
    }
    grow(step);
    return {more, show: (index) => index >= shown && grow(Math.min(index + 1, items.length) - shown)};
}

function copyButton(element) {
    return make("button", {type: "button", class: "copy", click: async (event) => {
        const selection = window.getSelection();
        selection.selectAllChildren(element);
        try {
            await navigator.clipboard.writeText(element.textContent);
            event.target.textContent = "Copied";
        } catch {
            event.target.textContent = "Selected";
        }
    }}, "Copy");
}
