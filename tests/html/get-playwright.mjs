// For machines whose nodejs comes without npm (Debian's): fetch the one package the test needs and check it.
// Usage: node get-playwright.mjs FOLDER VERSION: leaves FOLDER/node_modules/playwright-core.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";

const [folder, version] = process.argv.slice(2);
const registry = "https://the-npm-registry/playwright-core";
const about = await (await fetch(`${registry}/${version}`)).json();
const archive = Buffer.from(await (await fetch(about.dist.tarball)).arrayBuffer());
const sum = "sha512-" + createHash("sha512").update(archive).digest("base64");
if (sum !== about.dist.integrity) throw new Error("playwright-core: the archive is not what the registry promised");
const target = `${folder}/node_modules/playwright-core`;
mkdirSync(target, { recursive: true });
writeFileSync(`${folder}/playwright-core.tgz`, archive);
execFileSync("tar", ["-xzf", `${folder}/playwright-core.tgz`, "-C", target, "--strip-components=1"]);
