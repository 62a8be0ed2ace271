// Keeps the front page fresh while it is visible. Without this script the page is the same, but does not update.
const SECONDS = 5;
const parts = () => [...document.querySelectorAll("[data-live]")];

const control = document.createElement("p");
control.className = "live";
control.innerHTML = '<label><input type="checkbox" checked> keep this page fresh</label> <span role="status"></span>';
document.querySelector("main").append(control);
const box = control.querySelector("input");
const status = control.querySelector("[role=status]");

function mayReplace(part) {
  // What somebody is using stays as it is.
  return !part.contains(document.activeElement) && !part.querySelector("details[open]");
}

async function refresh() {
  if (!box.checked || document.hidden) return;
  try {
    const answer = await fetch(location.href, { headers: { accept: "text/html" } });
    if (!answer.ok) throw new Error(answer.statusText);
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const part of parts()) {
      const other = fresh.querySelector(`[data-live="${part.dataset.live}"]`);
      if (other && other.innerHTML !== part.innerHTML && mayReplace(part)) part.replaceWith(other);
    }
    status.textContent = "";
  } catch {
    status.textContent = "The server does not answer just now.";
  }
}

setInterval(refresh, SECONDS * 1000);
