// What failed how often, of several rounds of the same tests.
/**
 * @param {readonly (readonly import("./report.mjs").Outcome[])[]} rounds
 * @returns {string[]} how many rounds and tests there were, then a line for each test that failed, the most often first
 */
export function failuresByTest(rounds) {
  const counts = new Map();
  let ran = 0;
  for (const { job, tests, flaky } of rounds.flat()) {
    ran += tests.filter(({ state }) => state !== "skipped").length;
    for (const test of tests.filter(({ state }) => state === "failed"))
      add(counts, `${job.part}: ${test.file} ${test.name}`);
    for (const test of flaky) add(counts, `${job.part}: ${test.file} ${test.name} (at its first try)`);
  }
  const rows = [...counts].sort((a, b) => b[1] - a[1]).map(([name, count]) => `${count} of ${rounds.length}  ${name}`);
  return [
    `${rounds.length} rounds, ${ran} tests: ${rows.length === 0 ? "nothing failed" : `${rows.length} failed`}`,
    ...rows,
  ];
}

function add(counts, key) {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
