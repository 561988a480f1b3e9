/* names.h - node names: a name is any run of bytes without NUL; its number is the order of appearance. */
#ifndef NI_NAMES_H
#define NI_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A slot of the index. A name of at most eight bytes is its own key, so most lookups never leave the
 * index; a longer one has its hash for a key and is compared byte by byte. */
typedef struct ni_name_slot {
    uint64_t key;
    uint32_t number; /* plus 1; 0: the slot is free */
    uint32_t length;
} ni_name_slot;

/* Names lie one behind the other, each ended by a NUL: name i is bytes + offset[i]. */
typedef struct ni_names {
    char *bytes;
    uint64_t *offset; /* count + 1 entries; NULL while there is no name */
    uint32_t count;
    size_t bytes_room, offset_room;
    ni_name_slot *slot; /* open addressing; a power of two of them */
    size_t slots, slots_used;
    uint32_t *small; /* of the name that is v in digits: its number plus 1, or 0; for all v < smalls */
    size_t smalls;   /* at most a few times the count of names: an id is never an index */
    uint64_t key;    /* secret of the hash, so that no input can be made to collide */
} ni_names;

enum { NI_NAMES_MOST = 0x7fffffff }; /* nodes a graph may have         */
enum { NI_NAME_MOST = 4096 };        /* bytes a name in a file may have */

void ni_names_init(ni_names *names);
void ni_names_free(ni_names *names);

/* The number of a name, which is added if it is new. false: no memory, or NI_NAMES_MOST reached. */
bool ni_names_intern(ni_names *names, const char *name, size_t length, uint32_t *number);

/* false if there is no such name. */
bool ni_names_find(const ni_names *names, const char *name, size_t length, uint32_t *number);

/* The same in two steps, to overlap cache misses: the first computes the key and prefetches the slot,
 * the second uses it. */
uint64_t ni_names_fetch(const ni_names *names, const char *name, size_t length);
bool ni_names_intern_key(ni_names *names, const char *name, size_t length, uint64_t key, uint32_t *number);
bool ni_names_find_key(const ni_names *names, const char *name, size_t length, uint64_t key,
                       uint32_t *number);

/* Adds "first" .. "first + count - 1" in digits. */
bool ni_names_number(ni_names *names, uint32_t first, uint32_t count);

/* Forgets the first `count` names; the others move up. */
bool ni_names_drop(ni_names *names, uint32_t count);

/* Makes the index of names whose bytes and offsets are there. *twin: the first name that occurred before,
 * or count. */
bool ni_names_index(ni_names *names, uint32_t *twin);

bool ni_names_copy(ni_names *to, const ni_names *from);

/* Memory of the names and their index. */
uint64_t ni_names_bytes(const ni_names *names);

static inline const char *ni_name(const ni_names *names, uint32_t i)
{
    return names->bytes + names->offset[i];
}

static inline size_t ni_name_length(const ni_names *names, uint32_t i)
{
    return (size_t)(names->offset[i + 1] - names->offset[i] - 1);
}

#endif
