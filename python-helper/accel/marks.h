/* Lines whose heap is to be known before and after: at both moments the heap sampler, where it is in the process, keeps what
 * lives. jetson_memprof/heap/marked.py does the same for pure.py, and has the labels. */

/* The preloaded library's; NULL without it. */
extern int jetson_memprof_heap_mark(const char *) __attribute__((weak));

enum { LABEL_BYTES = 88, LABEL_NAME = 24, MOST_PAIRS = 48 }; /* of the thread; that a log has room for */

/* An execution that was begun, of the line that is open at that depth of the thread. */
typedef struct {
    const Thread *thread;
    const Marked *line;
    int32_t depth, hit, file;
} Marking;
static Marking markings[MOST_PAIRS];
static int32_t open_markings;

static int32_t most_hits;              /* so many executions of each line */
static int32_t pairs_room, pairs_left; /* of marks */
static int32_t marking;                /* how many of both there are: 0 where nothing is marked, or no more is to be done */

static Marked *marked_at(const File *file, int64_t cell) {
    int32_t low = 0, high = file->marked_count;
    while (low < high) {
        int32_t middle = (low + high) / 2;
        if (file->marked[middle].cell < cell) low = middle + 1;
        else high = middle;
    }
    return low < file->marked_count && file->marked[low].cell == cell ? &file->marked[low] : NULL;
}

/* Where the thread's open line is measured. */
static OUT_OF_LINE Marking *open_marking(const Thread *t) {
    for (Marking *m = markings; m < markings + open_markings; m++)
        if (m->thread == t && m->depth == t->depth) return m;
    return NULL;
}

/* The marked line that begins at `cell`; NULL where it is none, has been measured often enough, or is open further out. */
static OUT_OF_LINE Marked *marked_that_begins(const Thread *t, const File *file, int64_t cell) {
    Marked *line = pairs_left ? marked_at(file, cell) : NULL;
    if (!line || line->hits >= most_hits) return NULL;
    for (const Marking *m = markings; m < markings + open_markings; m++)
        if (m->thread == t && m->line == line && m->depth != t->depth) return NULL;
    return line;
}

/* RSS was settled right before: what the mark takes is nobody's. */
static OUT_OF_LINE int take_mark(Thread *t, const Marking *m, const char *which) {
    char label[LABEL_BYTES];
    snprintf(label, sizeof label, "%s %d %d %d %d %.*s", which, m->file, m->line->line, (int)(m->line->cell / CELL_WORDS), m->hit,
             LABEL_NAME, t->name);
    int taken = jetson_memprof_heap_mark(label);
    forget_own_change();
    if (t->behind) catch_up(t);
    return taken;
}

static OUT_OF_LINE void begin_marked(Thread *t, const Activation *a, Marked *line) {
    if (open_markings == MOST_PAIRS) return;
    Marking begun = {t, line, t->depth, ++line->hits, (int32_t)(a->code->file->tag >> FILE_SHIFT) - 1};
    if (!take_mark(t, &begun, "before")) return;
    markings[open_markings++] = begun; /* `marking` stays: there is one pair less to take */
    pairs_left--;
}

static OUT_OF_LINE void end_marked(Thread *t, Marking *m) {
    Marking ended = *m;
    *m = markings[--open_markings];
    marking--;
    take_mark(t, &ended, "after");
}

/* Those of a thread whose lines cannot be followed any more; NULL: of all. */
static void forget_markings(const Thread *t) {
    for (int32_t i = open_markings - 1; i >= 0; i--)
        if (!t || markings[i].thread == t) {
            markings[i] = markings[--open_markings];
            marking--;
        }
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
        marking += room - pairs_room;
        pairs_room = room;
        most_hits = hits;
    }
    PyBuffer_Release(&lines);
    return none();
}
