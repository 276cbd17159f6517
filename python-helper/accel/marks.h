/* Lines whose heap is to be known before and after: at both moments the heap sampler, where it is in the process, keeps what
 * lives. jetson_memprof/heap/marked.py does the same for pure.py, and has the labels. */

/* The preloaded library's; NULL without it. */
extern int jetson_memprof_heap_mark(const char *) __attribute__((weak));

enum { LABEL_BYTES = 88, LABEL_NAME = 24 }; /* of the thread */

static int32_t most_hits;            /* so many executions of each line */
static int32_t pairs_room, pairs_left; /* of marks; 0 where nothing is marked, or no more is to be done */

static Marked *marked_at(const File *file, int64_t cell) {
    int32_t low = 0, high = file->marked_count;
    while (low < high) {
        int32_t middle = (low + high) / 2;
        if (file->marked[middle].cell < cell) low = middle + 1;
        else high = middle;
    }
    return low < file->marked_count && file->marked[low].cell == cell ? &file->marked[low] : NULL;
}

/* The marked line that begins at `cell`, NULL: it is none, or has been measured often enough, or is open further out. */
static __attribute__((noinline, cold)) Marked *marked_that_begins(const Thread *t, const File *file, int64_t cell) {
    Marked *m = marked_at(file, cell);
    if (!m || m->hits >= most_hits) return NULL;
    /* The line that ends now, at the top, may be the same one. */
    for (int32_t i = 0; i < t->depth - 1; i++)
        if (t->stack[i].marked == m) return NULL;
    return m;
}

/* RSS was settled right before: what the mark takes is nobody's. */
static int take_mark(Thread *t, const Activation *a, const Marked *m, const char *which) {
    char label[LABEL_BYTES];
    snprintf(label, sizeof label, "%s %d %d %d %d %.*s", which, (int)(a->code->file->tag >> FILE_SHIFT) - 1, m->line,
             (int)(m->cell / CELL_WORDS), a->marked_hit, LABEL_NAME, t->name);
    int taken = jetson_memprof_heap_mark(label);
    forget_own_change();
    if (t->behind) catch_up(t);
    return taken;
}

static __attribute__((noinline, cold)) void begin_marked(Thread *t, Activation *a, Marked *m) {
    a->marked_hit = ++m->hits;
    if (!take_mark(t, a, m, "before")) return;
    pairs_left--;
    a->marked = m;
}

static __attribute__((noinline, cold)) void end_marked(Thread *t, Activation *a) {
    const Marked *m = a->marked;
    a->marked = NULL;
    take_mark(t, a, m, "after");
}

/* marks(file, marked, most_hits, room): measure these lines of that file, `marked` is Marked in the order of their cells;
 * `room` pairs of marks in all. */
static PyObject *set_marks(PyObject *self, PyObject *arguments) {
    (void)self;
    int index, hits, room;
    Buffer lines;
    if (!PyArg_ParseTuple(arguments, "iy*ii", &index, &lines, &hits, &room)) return NULL;
    Marked *copy = jetson_memprof_heap_mark ? malloc(lines.size) : NULL; /* never freed, as files are not */
    if (copy) {
        memcpy(copy, lines.bytes, lines.size);
        files[index]->marked = copy;
        files[index]->marked_count = (int32_t)(lines.size / sizeof *copy);
        pairs_left += room - pairs_room;
        pairs_room = room;
        most_hits = hits;
    }
    PyBuffer_Release(&lines);
    return none();
}
