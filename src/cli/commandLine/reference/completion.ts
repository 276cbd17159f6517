/** What a shell runs to complete the command's words, made of what is known of the commands. */
import { say } from "../../../words/t.ts";
import { COMMANDS, optionsOf } from "./commands.ts";
import type { SHELLS } from "./keeping.ts";
import type { CommandDescription } from "./model.ts";

const PROGRAM = "jetson-memprof";

export function completionScript(shell: (typeof SHELLS)[number]): string {
  switch (shell) {
    case "bash":
      return bash();
    case "zsh":
      // zsh runs bash's own, by its emulation.
      return `autoload -Uz bashcompinit && bashcompinit\n${bash()}`;
    case "fish":
      return fish();
  }
}

const firstWords = (): readonly string[] => [
  ...new Set([...COMMANDS.map(({ name }) => name.split(" ")[0] ?? name), "help", "--help", "--version"]),
];

/** The second words of `runs`, and what a command's first word can be. */
function nextWords({ name, words = [] }: CommandDescription): readonly string[] {
  const parts = COMMANDS.filter((other) => other.name.startsWith(`${name} `)).map((other) => other.name.split(" ")[1]);
  return [...parts.flatMap((part) => part ?? []), ...words.flatMap(({ choices = [] }) => choices)];
}

const optionWords = (command: CommandDescription): readonly string[] => [
  ...optionsOf(command).map(([name, { kind }]) => (kind === "optional" ? `--${name} --${name}=` : `--${name}`)),
  "--help",
];

function bash(): string {
  const cases = COMMANDS.map((command) => {
    const values = optionsOf(command).flatMap(([name, option]) =>
      option.kind === "flag" || option.choices === undefined
        ? []
        : [`      --${name}) words=${quoted(option.choices)} ;;`],
    );
    return [
      `    ${quoted([command.name])})`,
      `      words=${quoted(nextWords(command))} options=${quoted(optionWords(command))}`,
      ...(values.length === 0 ? [] : ["      case $previous in", ...values, "      esac"]),
      "      ;;",
    ].join("\n");
  });
  const doubled = COMMANDS.filter(({ name }) => name.includes(" ")).map(({ name }) => quoted([name]));
  return `# Completion of ${PROGRAM}; made by "${PROGRAM} completion bash".
_jetson_memprof() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} command=\${COMP_WORDS[1]}
  local words= options=
  if [ "$COMP_CWORD" -gt 2 ]; then
    case "$command \${COMP_WORDS[2]}" in
      ${doubled.join("|")}) command="$command \${COMP_WORDS[2]}" ;;
    esac
  fi
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W ${quoted(firstWords())} -- "$current"))
    return
  fi
  case $command in
    help) words=${quoted(firstWords())} ;;
${cases.join("\n")}
  esac
  case $current in
    -*) COMPREPLY=($(compgen -W "$options" -- "$current")) ;;
    *) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
  esac
}
complete -o default -o nosort -F _jetson_memprof ${PROGRAM} 2>/dev/null || complete -o default -F _jetson_memprof ${PROGRAM}
`;
}

function fish(): string {
  const lines = COMMANDS.flatMap((command) => {
    const [first = "", second] = command.name.split(" ");
    const seen = `-n ${quoted([`__fish_seen_subcommand_from ${first}${second === undefined ? "" : `; and __fish_seen_subcommand_from ${second}`}`])}`;
    return [
      second === undefined
        ? `complete -c ${PROGRAM} -n __fish_use_subcommand -a ${first} -d ${quoted([say(command.summary)])}`
        : `complete -c ${PROGRAM} -n ${quoted([`__fish_seen_subcommand_from ${first}`])} -a ${second} -d ${quoted([say(command.summary)])}`,
      ...(command.words ?? []).flatMap(({ choices }) =>
        choices === undefined ? [] : [`complete -c ${PROGRAM} ${seen} -a ${quoted(choices)}`],
      ),
      ...optionsOf(command).map(([name, option]) => {
        const takes = option.kind === "flag" || option.kind === "optional" ? "" : " -r";
        const choices = option.kind === "flag" || option.choices === undefined ? "" : ` -a ${quoted(option.choices)}`;
        return `complete -c ${PROGRAM} ${seen} -l ${name}${takes}${choices} -d ${quoted([say(option.says)])}`;
      }),
    ];
  });
  return `# Completion of ${PROGRAM}; made by "${PROGRAM} completion fish".\n${lines.join("\n")}\n`;
}

/** Words as one word of a shell. */
function quoted(words: readonly string[]): string {
  return `'${words.join(" ").replaceAll("'", "'\\''")}'`;
}
