// Puts a button beside each command line that copies it. The page is complete without.
const label = "Copy";

function addButton(figure) {
  const button = document.createElement("button");
  const say = (word) => {
    button.textContent = word;
  };
  button.type = "button";
  button.ariaLive = "polite";
  say(label);
  button.addEventListener("click", () => {
    navigator.clipboard
      .writeText(figure.querySelector("code").textContent)
      .then(() => say("Copied"))
      .catch(() => say("Not copied"))
      .finally(() => setTimeout(say, 2000, label));
  });
  figure.querySelector("figcaption").append(button);
}

// Absent where the page does not come over HTTPS.
if (navigator.clipboard) for (const figure of document.querySelectorAll("figure")) addButton(figure);
