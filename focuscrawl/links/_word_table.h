/* A table from strings to numbers, and lists that grow. */

#ifndef WORD_TABLE_H
#define WORD_TABLE_H

#include <Python.h>
#include <stdint.h>

_Static_assert(sizeof(Py_hash_t) == 8, "hashes have to tell strings apart");

typedef uint64_t Key;

/* No key of a string. */
#define FREE 0

/* What is known, by key alone: the hash of a string has 64 bits under a secret key, so that no two
   that anybody has met, or can make, are equal. */
typedef struct {
    Key key;
    int32_t found; /* END, a word and whether it stands alone, or -2 - the number of a chain */
} Slot;

typedef struct {
    Slot *slots;
    Py_ssize_t size; /* a power of 2 */
    size_t used;
} Table;

/* Return the key of a string. Python's hash is that of the bytes that it is kept in, as many a
   character as the widest needs: those of "9e" are those of one Chinese character. */
static Key key_of(PyObject *text)
{
    Key key = (Key)PyObject_Hash(text) + PyUnicode_KIND(text) * UINT64_C(0x9e3779b97f4a7c15);
    return key == FREE ? 1 : key;
}

static Key key_of_pair(Key one, Key other)
{
    Key key = one * 1000003u ^ other;
    return key == FREE ? 1 : key;
}

static Slot *look(Table *table, Key key)
{
    size_t at = (size_t)key;
    for (;; at++) {
        Slot *slot = &table->slots[at & ((size_t)table->size - 1)];
        if (slot->key == key || slot->key == FREE)
            return slot;
    }
}

/* Return twice the room for items of so many bytes each, NULL with an exception if there is none. */
static void *more(void *items, Py_ssize_t *room, size_t size)
{
    Py_ssize_t wanted = *room ? 2 * *room : 64;
    void *larger = PyMem_Realloc(items, wanted * size);
    if (larger == NULL)
        PyErr_NoMemory();
    else
        *room = wanted;
    return larger;
}

static int make_room(Table *table)
{
    Table larger = {NULL, table->size, table->used};
    if (2 * table->used < (size_t)table->size)
        return 0;
    larger.slots = more(NULL, &larger.size, sizeof(Slot));
    if (larger.slots == NULL)
        return -1;
    for (Py_ssize_t at = 0; at < larger.size; at++)
        larger.slots[at].key = FREE;
    for (Py_ssize_t at = 0; at < table->size; at++)
        if (table->slots[at].key != FREE)
            *look(&larger, table->slots[at].key) = table->slots[at];
    PyMem_Free(table->slots);
    *table = larger;
    return 0;
}

static int keep(Table *table, Key key, int32_t found)
{
    if (make_room(table) < 0)
        return -1;
    Slot *slot = look(table, key);
    table->used += slot->key == FREE;
    slot->key = key;
    slot->found = found;
    return 0;
}

#endif
