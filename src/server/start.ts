/** The language server's bundle: our extension's server, or with `--standalone` one for any other editor. */
import { useLanguage } from "../words/language.ts";

const LANGUAGE = "--language=";
const chosen = process.argv.find((argument) => argument.startsWith(LANGUAGE));
if (chosen !== undefined) useLanguage(chosen.slice(LANGUAGE.length), __dirname);

void (process.argv.includes("--standalone") ? import("./standalone/main.ts") : import("./main.ts"));
