/* The words of one text, counted; what so many of a word are worth; what two texts share. */

#ifndef WORD_TEXT_H
#define WORD_TEXT_H

#include <Python.h>
#include <stdint.h>

#include "_word_table.h"

#define MOST_COLUMNS 4

/* What a word adds in each column. */
typedef double Weights[MOST_COLUMNS];

/* The distinct words in order, and by word how often each is there. */
typedef struct {
    int32_t *items, *times;
    Py_ssize_t count, room, words;
} Text;

static void free_text(Text *text)
{
    PyMem_Free(text->items);
    PyMem_Free(text->times);
    *text = (Text){NULL, NULL, 0, 0, 0};
}

static void clear_text(Text *text)
{
    while (text->count)
        text->times[text->items[--text->count]] = 0;
}

static int count_word(Text *text, int32_t word)
{
    if (word == 0)
        return 0;
    while (word >= text->words) {
        Py_ssize_t before = text->words;
        int32_t *times = more(text->times, &text->words, sizeof(int32_t));
        if (times == NULL)
            return -1;
        memset(times + before, 0, (text->words - before) * sizeof(int32_t));
        text->times = times;
    }
    if (text->times[word]++)
        return 0;
    if (text->count == text->room) {
        int32_t *items = more(text->items, &text->room, sizeof(int32_t));
        if (items == NULL) {
            text->times[word] = 0;
            return -1;
        }
        text->items = items;
    }
    text->items[text->count++] = word;
    return 0;
}

/* View an array of numbers, which has one at least. */
static int get_numbers(PyObject *array, Py_buffer *view)
{
    if (PyObject_GetBuffer(array, view, PyBUF_FORMAT | PyBUF_ND) < 0)
        return -1;
    if (view->ndim == 1 && view->format && strcmp(view->format, "d") == 0 && view->len)
        return 0;
    PyBuffer_Release(view);
    PyErr_SetString(PyExc_ValueError, "give an array of numbers");
    return -1;
}

static double worth(const Py_buffer *worths, long times)
{
    if (worths == NULL)
        return 1;
    Py_ssize_t last = worths->len / (Py_ssize_t)sizeof(double) - 1;
    return ((const double *)worths->buf)[times < 0 ? 0 : times < last ? times : last];
}

typedef struct {
    Weights columns;
    double value; /* of all words */
    int32_t terms;
} Sums;

/* Return what Python keeps of a text: its sums, then its words, as bytes. */
static PyObject *total_of(const Sums *sums, const Text *text)
{
    size_t size = text->count * sizeof(int32_t);
    PyObject *total = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(sizeof *sums + size));
    if (total == NULL)
        return NULL;
    memcpy(PyBytes_AS_STRING(total), sums, sizeof *sums);
    if (size)
        memcpy(PyBytes_AS_STRING(total) + sizeof *sums, text->items, size);
    return total;
}

typedef struct {
    const Sums *sums;
    const int32_t *words;
    Py_ssize_t count;
} Known;

static int read_total(PyObject *total, Known *known)
{
    if (!PyBytes_Check(total) || PyBytes_GET_SIZE(total) < (Py_ssize_t)sizeof(Sums)) {
        PyErr_SetString(PyExc_TypeError, "this is no total of a text");
        return -1;
    }
    known->sums = (const Sums *)PyBytes_AS_STRING(total);
    known->words = (const int32_t *)(known->sums + 1);
    known->count = (PyBytes_GET_SIZE(total) - (Py_ssize_t)sizeof(Sums)) / (Py_ssize_t)sizeof(int32_t);
    return 0;
}

/* Return the weight of the words that both texts have; words from number `words` up have none. */
static double shared_weight(const Known *one, const Known *other, const Weights *weights,
                            int32_t words, Py_ssize_t column)
{
    double sum = 0;
    for (Py_ssize_t at = 0; at < one->count; at++)
        for (Py_ssize_t twin = 0; twin < other->count; twin++)
            if (one->words[at] == other->words[twin]) {
                if (one->words[at] >= 0 && one->words[at] < words)
                    sum += weights[one->words[at]][column];
                break;
            }
    return sum;
}

#endif
