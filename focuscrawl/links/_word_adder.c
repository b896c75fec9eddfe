/* The same as word_adder.py, which says what it is for. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>

#include "_word_table.h"
#include "_word_text.h"

#define END (-1)
#define MOST_WORDS (1 << 24)

/* Several words of one piece: how many, then these. */
typedef int32_t *Chain;

typedef struct {
    PyObject_HEAD
    PyObject *find, *find_pair;
    Weights *weights; /* by word */
    Py_ssize_t width;
    int32_t words, terms;
    Table pieces, pairs;
    Chain *chains;
    Py_ssize_t chain_count, chain_room;
    Text text; /* room for the next, whoever needs it first */
} Adder;

/* Return the word that a Python number means, -1 with an exception if it is none. */
static int32_t word_of(PyObject *number)
{
    long word = PyLong_AsLong(number);
    if (word == -1 && PyErr_Occurred())
        return -1;
    if (word < 0 || word >= MOST_WORDS) {
        PyErr_Format(PyExc_ValueError, "no word has the number %ld", word);
        return -1;
    }
    return (int32_t)word;
}

/* Return what stands for several words. */
static int32_t chain_of(Adder *self, PyObject *words)
{
    Py_ssize_t count = PyTuple_GET_SIZE(words);
    Chain chain = PyMem_Malloc((count + 1) * sizeof(int32_t));
    if (chain == NULL) {
        PyErr_NoMemory();
        return END;
    }
    chain[0] = (int32_t)count;
    for (Py_ssize_t at = 0; at < count; at++) {
        chain[at + 1] = word_of(PyTuple_GET_ITEM(words, at));
        if (chain[at + 1] < 0) {
            PyMem_Free(chain);
            return END;
        }
    }
    if (self->chain_count == self->chain_room) {
        Chain *chains = more(self->chains, &self->chain_room, sizeof(Chain));
        if (chains == NULL) {
            PyMem_Free(chain);
            return END;
        }
        self->chains = chains;
    }
    self->chains[self->chain_count] = chain;
    return -2 - (int32_t)self->chain_count++;
}

/* Ask what a piece is; END with an exception if that cannot be said. */
static int32_t ask(Adder *self, PyObject *piece, Key key)
{
    PyObject *answer = PyObject_CallOneArg(self->find, piece);
    int32_t found = END;
    if (answer == NULL)
        return END;
    if (PyTuple_CheckExact(answer))
        found = chain_of(self, answer);
    else {
        long number = PyLong_AsLong(answer);
        if (number < END || number / 2 >= MOST_WORDS)
            PyErr_Format(PyExc_ValueError, "no piece is %ld", number);
        else
            found = (int32_t)number;
    }
    Py_DECREF(answer);
    if (PyErr_Occurred() || keep(&self->pieces, key, found) < 0)
        return END;
    return found;
}

/* Return the word that two neighbours make, -1 with an exception if that cannot be said. */
static int32_t pair_of(Adder *self, PyObject *before, Key key_before, PyObject *piece, Key key)
{
    Key both = key_of_pair(key_before, key);
    if (self->pairs.size) {
        Slot *slot = look(&self->pairs, both);
        if (slot->key == both)
            return slot->found;
    }
    PyObject *answer = PyObject_CallFunctionObjArgs(self->find_pair, before, piece, NULL);
    if (answer == NULL)
        return -1;
    int32_t word = word_of(answer);
    Py_DECREF(answer);
    if (word < 0 || keep(&self->pairs, both, word) < 0)
        return -1;
    return word;
}

/* Return the sums of a text, every word counted for what so many of it are worth. */
static Sums sums_of(const Adder *self, const Text *text, const Py_buffer *worths)
{
    Sums sums = {{0}, 0, 0};
    for (Py_ssize_t at = 0; at < text->count; at++) {
        int32_t word = text->items[at], times = text->times[word];
        double value = worth(worths, times);
        for (Py_ssize_t column = 0; word < self->words && column < self->width; column++)
            sums.columns[column] += self->weights[word][column] * value;
        if (word <= self->terms)
            sums.terms += worths ? times : 1;
        sums.value += value;
    }
    return sums;
}

/* Return what weigh() tells of a text. */
static PyObject *weighed(const Adder *self, const Sums *sums)
{
    PyObject *columns = PyTuple_New(self->width);
    for (Py_ssize_t column = 0; columns && column < self->width; column++) {
        PyObject *number = PyFloat_FromDouble(sums->columns[column]);
        if (number == NULL)
            Py_CLEAR(columns);
        else
            PyTuple_SET_ITEM(columns, column, number);
    }
    return columns ? Py_BuildValue("(Nid)", columns, sums->terms, sums->value) : NULL;
}

static int end_text(Adder *self, Text *text, const Py_buffer *worths, PyObject *totals)
{
    Sums sums = sums_of(self, text, worths);
    PyObject *total = worths ? weighed(self, &sums) : total_of(&sums, text);
    if (total == NULL)
        return -1;
    clear_text(text);
    int failed = PyList_Append(totals, total);
    Py_DECREF(total);
    return failed;
}

static int count_piece(Adder *self, Text *text, int32_t found)
{
    if (found >= 0)
        return count_word(text, found >> 1);
    /* The chains may move while more of them are asked for, the words of each do not. */
    Chain chain = self->chains[-2 - found];
    for (int32_t at = 1; at <= chain[0]; at++)
        if (count_word(text, chain[at]) < 0)
            return -1;
    return 0;
}

/* Count the words of all texts, and add the total of each to those of the others. */
static int read_texts(Adder *self, PyObject *pieces, const Py_buffer *worths, Text *text,
                      PyObject *totals)
{
    PyObject *before = NULL;
    Key key_before = FREE;
    for (Py_ssize_t at = 0; at < PyTuple_GET_SIZE(pieces); at++) {
        PyObject *piece = PyTuple_GET_ITEM(pieces, at), *alone = NULL;
        if (!PyUnicode_CheckExact(piece)) {
            PyErr_SetString(PyExc_TypeError, "a piece is a string");
            return -1;
        }
        Key key = key_of(piece);
        Slot *slot = self->pieces.size ? look(&self->pieces, key) : NULL;
        int32_t found = slot && slot->key == key ? slot->found : ask(self, piece, key);
        if (found == END) {
            if (PyErr_Occurred() || end_text(self, text, worths, totals) < 0)
                return -1;
        } else {
            if (count_piece(self, text, found) < 0)
                return -1;
            if (found > 0 && found & 1) {
                alone = piece;
                if (before) {
                    int32_t word = pair_of(self, before, key_before, piece, key);
                    if (word < 0 || count_word(text, word) < 0)
                        return -1;
                }
            }
        }
        before = alone;
        key_before = key;
    }
    return end_text(self, text, worths, totals);
}

static PyObject *totals_of(Adder *self, PyObject *sequence, const Py_buffer *worths)
{
    /* Whoever is asked cannot change the pieces, and needs a text of its own to add up others. */
    PyObject *pieces = PySequence_Tuple(sequence), *totals = PyList_New(0);
    Text text = self->text;
    self->text = (Text){NULL, NULL, 0, 0, 0};
    if (pieces == NULL || totals == NULL
        || read_texts(self, pieces, worths, &text, totals) < 0) {
        Py_CLEAR(totals);
        clear_text(&text);
    }
    free_text(&self->text);
    self->text = text;
    Py_XDECREF(pieces);
    return totals;
}

static PyObject *Adder_add(Adder *self, PyObject *pieces)
{
    return totals_of(self, pieces, NULL);
}

static PyObject *Adder_weigh(Adder *self, PyObject *const *arguments, Py_ssize_t count)
{
    Py_buffer worths;
    PyObject *totals = NULL;
    if (count != 2) {
        PyErr_SetString(PyExc_TypeError, "give pieces and worths");
        return NULL;
    }
    if (get_numbers(arguments[1], &worths) < 0)
        return NULL;
    totals = totals_of(self, arguments[0], &worths);
    PyBuffer_Release(&worths);
    return totals;
}

static PyObject *Adder_both(Adder *self, PyObject *const *arguments, Py_ssize_t count)
{
    Py_ssize_t column;
    Py_buffer marks;
    if (count != 4 || !PyList_CheckExact(arguments[0]) || !PyList_CheckExact(arguments[1])
        || PyList_GET_SIZE(arguments[0]) != PyList_GET_SIZE(arguments[1])
        || (column = PyLong_AsSsize_t(arguments[2])) < 0 || column >= self->width) {
        PyErr_SetString(PyExc_ValueError, "give two lists of one length, a column and marks");
        return NULL;
    }
    if (get_numbers(arguments[3], &marks) < 0)
        return NULL;
    PyObject *found = PyList_New(0);
    for (Py_ssize_t at = 0; found && at < PyList_GET_SIZE(arguments[0]); at++) {
        Known one, other;
        PyObject *number = NULL;
        if (read_total(PyList_GET_ITEM(arguments[0], at), &one) == 0
            && read_total(PyList_GET_ITEM(arguments[1], at), &other) == 0)
            number = PyFloat_FromDouble(one.sums->columns[column] + other.sums->columns[column]
                                        - shared_weight(&one, &other, self->weights, self->words, column)
                                        + worth(&marks, Py_MAX(one.sums->terms, other.sums->terms)));
        if (number == NULL || PyList_Append(found, number) < 0)
            Py_CLEAR(found);
        Py_XDECREF(number);
    }
    PyBuffer_Release(&marks);
    return found;
}

static PyObject *Adder_forget(Adder *self, PyObject *Py_UNUSED(nothing))
{
    PyMem_Free(self->pieces.slots);
    PyMem_Free(self->pairs.slots);
    self->pieces = self->pairs = (Table){NULL, 0, 0};
    while (self->chain_count)
        PyMem_Free(self->chains[--self->chain_count]);
    Py_RETURN_NONE;
}

static Py_ssize_t Adder_length(Adder *self)
{
    return (Py_ssize_t)(self->pieces.used + self->pairs.used);
}

/* Copy a column; all are of one length. */
static int take_column(Adder *self, PyObject *column)
{
    Py_buffer view;
    if (get_numbers(column, &view) < 0)
        return -1;
    Py_ssize_t count = view.len / (Py_ssize_t)sizeof(double);
    if (count > MOST_WORDS || self->width == MOST_COLUMNS || (self->width && count != self->words))
        PyErr_SetString(PyExc_ValueError, "columns are a few arrays of numbers, of one length");
    else if (!self->weights && !(self->weights = PyMem_Calloc(count, sizeof(Weights))))
        PyErr_NoMemory();
    else {
        for (Py_ssize_t word = 0; word < count; word++)
            self->weights[word][self->width] = ((const double *)view.buf)[word];
        self->width++;
        self->words = (int32_t)count;
    }
    PyBuffer_Release(&view);
    return PyErr_Occurred() ? -1 : 0;
}

static PyObject *Adder_new(PyTypeObject *type, PyObject *arguments, PyObject *Py_UNUSED(names))
{
    PyObject *find, *find_pair, *columns, *sequence = NULL;
    int terms;
    if (!PyArg_ParseTuple(arguments, "OOOi", &find, &find_pair, &columns, &terms))
        return NULL;
    Adder *self = (Adder *)type->tp_alloc(type, 0);
    if (self == NULL)
        return NULL;
    self->find = Py_NewRef(find);
    self->find_pair = Py_NewRef(find_pair);
    self->terms = terms;
    sequence = PySequence_Tuple(columns);
    for (Py_ssize_t at = 0; sequence && at < PyTuple_GET_SIZE(sequence); at++)
        if (take_column(self, PyTuple_GET_ITEM(sequence, at)) < 0)
            break;
    Py_XDECREF(sequence);
    if (PyErr_Occurred())
        Py_CLEAR(self);
    return (PyObject *)self;
}

static int Adder_traverse(Adder *self, visitproc visit, void *arg)
{
    Py_VISIT(self->find);
    Py_VISIT(self->find_pair);
    return 0;
}

static int Adder_clear(Adder *self)
{
    Py_CLEAR(self->find);
    Py_CLEAR(self->find_pair);
    return 0;
}

static void Adder_dealloc(Adder *self)
{
    PyObject_GC_UnTrack(self);
    Adder_clear(self);
    Py_XDECREF(Adder_forget(self, NULL));
    PyMem_Free(self->chains);
    free_text(&self->text);
    PyMem_Free(self->weights);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyMethodDef methods[] = {
    {"add", (PyCFunction)Adder_add, METH_O, "Return the totals of texts, given their pieces."},
    {"weigh", (PyCFunction)(void (*)(void))Adder_weigh, METH_FASTCALL,
     "Return the totals of texts, given their pieces and the worths of so many of a word."},
    {"both", (PyCFunction)(void (*)(void))Adder_both, METH_FASTCALL,
     "Return what two texts have together, for many."},
    {"forget", (PyCFunction)Adder_forget, METH_NOARGS, "Forget what pieces are."},
    {NULL, NULL, 0, NULL},
};

static PySequenceMethods lengths = {.sq_length = (lenfunc)Adder_length};

static PyTypeObject AdderType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "focuscrawl.links._word_adder.WordAdder",
    .tp_doc = "The same as focuscrawl.links.word_adder.WordAdder.",
    .tp_basicsize = sizeof(Adder),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_new = Adder_new,
    .tp_dealloc = (destructor)Adder_dealloc,
    .tp_traverse = (traverseproc)Adder_traverse,
    .tp_clear = (inquiry)Adder_clear,
    .tp_methods = methods,
    .tp_as_sequence = &lengths,
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, .m_name = "_word_adder", .m_size = -1,
};

PyMODINIT_FUNC PyInit__word_adder(void)
{
    PyObject *made = PyType_Ready(&AdderType) < 0 ? NULL : PyModule_Create(&module);
    if (made && PyModule_AddObjectRef(made, "WordAdder", (PyObject *)&AdderType) < 0)
        Py_CLEAR(made);
    return made;
}
