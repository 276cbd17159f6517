/** The page "Model Account": which layer holds which bytes, how many samples fit, and what a change would save. */
import { defined } from "../../src/profile/defined.ts";
import "./model.css";
import { printable } from "../../src/profile/text/text.ts";
import {
  type ModelDocument,
  type ModelPageState,
  type ModelPageToEditor,
  readModelPageState,
  readToModelPage,
} from "../../src/protocol/torch/model.ts";
import { allBytes } from "../../src/torch/model/bytes.ts";
import type { ModelAccount, RootAccount } from "../../src/torch/model/model.ts";
import { WHAT_IF_KINDS, type WhatIfKind } from "../../src/torch/whatif/model.ts";
import { type WhatIfs, WITH_SLIDER, whatIfs } from "../../src/torch/whatif/whatIfs.ts";
import { t } from "../../src/words/t.ts";
import { byId, element } from "../dom.ts";
import { useKeyboard } from "../keyboard.ts";
import { showSimulated } from "../simulated.ts";
import { explainTerms } from "../terms.ts";
import { batchView } from "./batch/batchView.ts";
import { notesOf, showFacts } from "./head.ts";
import { shortType } from "./layers/layers.ts";
import { LayersSection } from "./layers/layersSection.ts";
import { sharedView } from "./sharedView.ts";
import { type Choices, whatIfCards } from "./whatIfView.ts";

declare function acquireVsCodeApi(): {
  postMessage(message: ModelPageToEditor): void;
  getState(): unknown;
  setState(state: ModelPageState): void;
};

/** A model of one process; a run may have several. */
interface ShownModel {
  readonly process: string;
  readonly account: ModelAccount;
  readonly root: RootAccount;
  /** Those that the page does not work out itself. */
  readonly given: WhatIfs;
}

const vscode = acquireVsCodeApi();
const folder = document.body.dataset["folder"] ?? "";
const status = byId("status", HTMLElement);
const content = byId("content", HTMLElement);
const select = byId("models", HTMLSelectElement);

const readState = readModelPageState(vscode.getState());
const saved = readState?.folder === folder ? readState : undefined;
let models: readonly ShownModel[] = [];
let shownDocument: ModelDocument | undefined;
/** The document as it was sent last. */
let told = "";
/** The model and layer to show, as they were chosen last. */
let wanted = { model: saved?.model ?? 0, layer: saved?.layer ?? 0 };
let free = saved?.free;
let choices: Choices = saved?.choices ?? {};

const layers = new LayersSection(saved?.view ?? "tree", {
  goTo: (place) => vscode.postMessage({ kind: "goTo", place }),
  changed: saveState,
});

function saveState(): void {
  if (models.length > 0) wanted = { model: Math.max(0, select.selectedIndex), layer: layers.layer };
  vscode.setState({ folder, view: layers.view, ...wanted, choices, ...defined({ free }) });
}

/** Heaviest first, so that a network stands before the loss that follows it. */
function modelsOf({ processes }: ModelDocument): ShownModel[] {
  return processes
    .flatMap(({ name, account, whatIfs = [] }) =>
      account.roots.map((root, place) => ({ process: name, account, root, given: whatIfs[place] ?? NONE })),
    )
    .filter(({ root }) => root.layers.length > 0)
    .sort((a, b) => allBytes(b.root.total) - allBytes(a.root.total));
}

const NONE: WhatIfs = { estimates: [], refused: [] };

const inOrder = <One extends { readonly kind: WhatIfKind }>(list: One[]): One[] =>
  list.sort((a, b) => WHAT_IF_KINDS.indexOf(a.kind) - WHAT_IF_KINDS.indexOf(b.kind));

function showModel(): void {
  const shown = models[select.selectedIndex];
  if (shown === undefined || shownDocument === undefined) return;
  const { account, root, given } = shown;
  showFacts(byId("facts", HTMLElement), account, root);
  byId("notes", HTMLElement).replaceChildren(...notesOf(account, root).map((note) => element("li", printable(note))));
  layers.show(root, wanted.layer);
  const { context, repeatable } = shownDocument;
  byId("batch-content", HTMLElement).replaceChildren(
    ...batchView(account, root, context, free, (bytes) => {
      free = bytes;
      saveState();
    }),
  );
  byId("cards", HTMLElement).replaceChildren(
    ...whatIfCards(choices, {
      workOut: (chosen) => {
        const own = whatIfs({ account, root, context, choices: chosen }, WITH_SLIDER);
        return {
          estimates: inOrder([...own.estimates, ...given.estimates]),
          refused: inOrder([...own.refused, ...given.refused]),
        };
      },
      choose: (chosen) => {
        choices = chosen;
        saveState();
      },
      ...(repeatable ? { check: (trial) => vscode.postMessage({ kind: "check", trial }) } : {}),
      copy: (text) => vscode.postMessage({ kind: "copy", text }),
    }),
  );
}

function show(shown: ModelDocument): void {
  const text = JSON.stringify(shown);
  if (text === told) return;
  told = text;
  byId("title", HTMLElement).textContent = printable(shown.title);
  showSimulated(shown.simulated);
  byId("about", HTMLElement).textContent = printable(shown.board);
  models = modelsOf(shown);
  shownDocument = shown;
  if (models.length === 0) {
    content.hidden = true;
    status.textContent = shown.running
      ? t("No step of a model was seen yet. The page is filled in when the run has ended, or when it is opened again.")
      : t("No model was seen in this run: no torch.nn.Module was called.");
    return;
  }
  status.textContent = "";
  content.hidden = false;
  select.replaceChildren(
    ...models.map(({ process, root }) => element("option", printable(t("{0}, {1}", shortType(root.type), process)))),
  );
  select.selectedIndex = wanted.model < models.length ? wanted.model : 0;
  byId("choose", HTMLElement).hidden = models.length === 1;
  byId("shared-content", HTMLElement).replaceChildren(...sharedView(shown));
  showModel();
}

select.addEventListener("change", () => {
  wanted = { model: select.selectedIndex, layer: 0 };
  showModel();
});
window.addEventListener("message", (event: MessageEvent<unknown>) => {
  const message = readToModelPage(event.data);
  if (message?.kind === "model") show(message.document);
  if (message?.kind === "unavailable") {
    told = "";
    status.textContent = printable(message.message);
  }
});

saveState();
explainTerms();
useKeyboard();
vscode.postMessage({ kind: "ready" });
