// SPDX-License-Identifier: MIT
//
// Puts the page together. Links within it name findings and processes that may not be in the
// document yet: go() makes them, wherever the link is followed from.

function go(id) {
    return id.startsWith("finding-") ? revealFinding(id)
        : id.startsWith("process-") && revealProcess(id);
}

// Arrow keys move between the rows of a list, besides Tab.
function moveFocus(event) {
    const summary = event.target.closest("summary");
    if (!summary || event.ctrlKey || event.metaKey || event.altKey)
        return;
    const details = summary.parentElement;
    if (event.key === "ArrowRight" || event.key === "ArrowLeft") {
        event.preventDefault();
        details.open = event.key === "ArrowRight";
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        const all = [...details.closest("section").querySelectorAll("summary")].filter((one) =>
            one.checkVisibility());
        const next = all[all.indexOf(summary) + (event.key === "ArrowDown" ? 1 : -1)];
        event.preventDefault();
        if (next)
            next.focus();
    }
}

addOverview();
addFindings();
addTimeline();
addProcesses();
byId("page").hidden = byId("parts").hidden = false;
drawTimeline();

document.addEventListener("keydown", moveFocus);
document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#']");
    if (link && go(link.hash.slice(1))) {
        event.preventDefault();
        history.pushState(null, "", link.hash);
    }
});
window.addEventListener("popstate", () => go(location.hash.slice(1)));
window.addEventListener("beforeprint", () => findingList.growing.show(Infinity));
go(location.hash.slice(1));
