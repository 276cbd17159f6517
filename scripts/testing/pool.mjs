// Runs jobs side by side: as many as there are places, none beside another of its lane, none before what it needs.
/**
 * @typedef {object} Job
 * @property {string} name
 * @property {string} part the row of the table that it counts in
 * @property {number} places how many processor cores it keeps busy
 * @property {string} [lane] no two jobs of a lane run at once
 * @property {readonly string[]} needs names of jobs that must have ended well before
 * @property {readonly string[]} [after] names of jobs that must have ended before, however
 */

/**
 * Starts the jobs in their order, each as soon as it may; a job whose needs failed is not started.
 * @template {Job} J
 * @template {{ok: boolean}} O
 * @param {readonly J[]} jobs a job comes after those that it needs
 * @param {number} places how many cores may be taken at once; a job that wants more runs alone
 * @param {(job: J) => Promise<O>} start
 * @param {(job: J, need: string) => O} notStarted what stands for a job that `need` kept from starting
 * @returns {Promise<O[]>} in the order of the jobs
 */
export async function runJobs(jobs, places, start, notStarted) {
  const outcomes = new Map();
  const waiting = [...jobs];
  const running = new Map();
  const asked = new Set(jobs.map((job) => job.name));

  const isFree = (job) => {
    const taken = [...running.keys()].reduce((sum, one) => sum + one.places, 0);
    const laneTaken = [...running.keys()].some((one) => job.lane !== undefined && one.lane === job.lane);
    return running.size === 0 || (!laneTaken && taken + job.places <= places);
  };
  // What was not asked for this time counts as done.
  const state = (need) =>
    !asked.has(need) ? "ok" : !outcomes.has(need) ? "open" : outcomes.get(need).ok ? "ok" : "bad";

  while (waiting.length + running.size > 0) {
    for (const job of [...waiting]) {
      const bad = job.needs.find((need) => state(need) === "bad");
      const isEarly = [...job.needs, ...(job.after ?? [])].some((other) => state(other) === "open");
      if (bad === undefined && (isEarly || !isFree(job))) continue;
      waiting.splice(waiting.indexOf(job), 1);
      if (bad !== undefined) {
        outcomes.set(job.name, notStarted(job, bad));
        continue;
      }
      running.set(
        job,
        start(job).then((outcome) => {
          outcomes.set(job.name, outcome);
          running.delete(job);
        }),
      );
    }
    await Promise.race(running.values());
  }
  return jobs.map((job) => outcomes.get(job.name));
}
