// @ts-check
import { equal, test } from "/tests/harness.js";
import { readQuery } from "/static/js/pure/query.js";
import { sceneToml } from "/static/js/pure/scene.js";

test("the page's answers become a scene, each lane in the words of the URL", () => {
  const query = readQuery("lane=tokens:5,delay_ms:10&lane=tokens:5,delay_ms:10,delivery:whole");
  equal(
    sceneToml(query, ['A "pair"']),
    '[[scenes]]\nslug = "my-scene"\ntitle = "A \\"pair\\""\nlanes = [\n  "tokens:5,delay_ms:10",\n' +
      '  "tokens:5,delay_ms:10,delivery:whole",\n]\nask = ""\nobserve = ""\n',
  );
});

test("a text of one's own comes along as a text of the deck", () => {
  const toml = sceneToml(readQuery("lane=tokens:5,text:loop&say=a%0Ab%7F"), ["T"]);
  equal(toml.includes('\n[texts]\nmy-text = "a\\nb\\u007f"\n\n[[scenes]]'), true);
  equal(toml.includes('"tokens:5,text:my-text"'), true);
});

test("a recording of the server has a text already, and one that was opened from disk is no lane of a deck", () => {
  const toml = sceneToml({ lanes: [{ recording: "llama" }, { opened: "a.json" }], say: "Mine." }, ["T"]);
  equal(toml.includes('lanes = [\n  "recording:llama",\n]'), true);
});

test("the title is the answers' own, as long as a scene's may be, and never without a letter", () => {
  const title = (/** @type {string[]} */ titles) =>
    /^title = "(.*)"$/m.exec(sceneToml(readQuery("lane="), titles))?.[1];
  equal(title(["One", "Two"]), "One, Two");
  equal(title(["x".repeat(40), "y".repeat(40)]), `${"x".repeat(40)}, ${"y".repeat(38)}`);
  equal(title(["x", "😀".repeat(40), "😀".repeat(39)]), `x, ${"😀".repeat(40)}, ${"😀".repeat(35)}`);
  equal(title(["  "]), "My scene");
  equal(title([]), "My scene");
});

test("a text of spaces alone is none", () => {
  equal(sceneToml(readQuery("lane=tokens:5&say=++"), ["T"]).startsWith("[[scenes]]"), true);
});
