/* Names to numbers: open addressing with a keyed hash, so that hostile names cannot make it slow; names of
 * up to eight bytes are their own key. O(1) expected per name; bytes lie one behind the other, each with
 * its NUL. */
#include "graph/names.h"

#include <string.h>
#include <sys/random.h>

#include "base/rng.h"
#include "base/sys.h"

enum { SHORT = 8 }; /* names up to here are their own key */

void ni_names_init(ni_names *names)
{
    memset(names, 0, sizeof *names);
    /* Without system randomness, the address of the stack; results never depend on the key. */
    if (getrandom(&names->key, sizeof names->key, GRND_NONBLOCK) != (ssize_t)sizeof names->key)
        names->key = ni_mix((uint64_t)(uintptr_t)&names);
}

void ni_names_free(ni_names *names)
{
    ni_free(names->bytes);
    ni_free(names->offset);
    ni_free(names->slot);
    ni_free(names->small);
    memset(names, 0, sizeof *names);
}

uint64_t ni_names_bytes(const ni_names *n)
{
    return n->bytes_room + n->offset_room * sizeof *n->offset + n->slots * sizeof *n->slot +
           n->smalls * sizeof *n->small;
}

static uint64_t load4(const char *text)
{
    const unsigned char *b = (const unsigned char *)text;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static uint64_t load8(const char *text)
{
    return load4(text) | load4(text + 4) << 32;
}

/* Up to eight bytes as one number, zeros behind them. Overlapping loads have the same bytes in the
 * middle, which `or` does not change. */
static uint64_t load_short(const char *text, size_t length)
{
    const unsigned char *b = (const unsigned char *)text;
    if (length >= 4) return load4(text) | load4(text + length - 4) << (8 * (length - 4));
    if (length == 0) return 0;
    size_t middle = length / 2, last = length - 1;
    return b[0] | (uint64_t)b[middle] << (8 * middle) | (uint64_t)b[last] << (8 * last);
}

static uint64_t key_of(const ni_names *names, const char *name, size_t length)
{
    if (length <= SHORT) return load_short(name, length);
    uint64_t hash = names->key;
    for (size_t i = 0; i + 8 < length; i += 8) hash = ni_mix(hash ^ load8(name + i)) + names->key;
    return ni_mix(hash ^ load8(name + length - 8));
}

/* The high bits of the hash, so that a table of twice the size has the same order: growing reads and
 * writes both tables sequentially. */
static size_t slot_of(const ni_names *names, uint64_t key)
{
    return (size_t)(ni_mix(key ^ names->key) >> __builtin_clzll(names->slots - 1));
}

static bool is_name(const ni_names *names, const ni_name_slot *slot, uint64_t key, const char *name,
                    size_t length)
{
    return slot->key == key && slot->length == length &&
           (length <= SHORT || !memcmp(ni_name(names, slot->number - 1), name, length));
}

/* The slot of a name, or the free slot where it belongs (linear probing). */
static ni_name_slot *seek(const ni_names *names, uint64_t key, const char *name, size_t length)
{
    size_t i = slot_of(names, key);
    while (names->slot[i].number && !is_name(names, &names->slot[i], key, name, length))
        i = (i + 1) & (names->slots - 1);
    return &names->slot[i];
}

/* Room in the index for `count` names: at most three quarters full. Keys move, names are not read. */
static bool make_slots(ni_names *names, size_t count)
{
    if (names->slots && count <= names->slots / 4 * 3) return true;
    size_t old = names->slots, slots = old ? old * 2 : 16;
    while (count > slots / 4 * 3) slots *= 2;
    ni_name_slot *from = names->slot, *to = ni_zeros(slots, sizeof *to);
    if (!to) return false;
    names->slot = to;
    names->slots = slots;
    for (size_t i = 0; i < old; i++) {
        if (!from[i].number) continue;
        size_t at = slot_of(names, from[i].key);
        while (to[at].number) at = (at + 1) & (slots - 1);
        to[at] = from[i];
    }
    ni_free(from);
    return true;
}

/* The value of a name of one to eight digits without a zero in front: eight digits at once, in pairs, then
 * fours, then all. */
static bool small_value(uint64_t key, size_t length, uint64_t *value)
{
    if (length == 0 || length > SHORT || (length > 1 && (key & 0xff) == '0')) return false;
    uint64_t x = key << (8 * (SHORT - length)); /* the last digit in the highest byte */
    if (length < SHORT) x |= UINT64_C(0x3030303030303030) >> (8 * length);
    uint64_t digits = x ^ UINT64_C(0x3030303030303030);
    if (((digits + UINT64_C(0x0606060606060606)) | digits) & UINT64_C(0xf0f0f0f0f0f0f0f0)) return false;
    x = (digits * 10 + (digits >> 8)) & UINT64_C(0x00ff00ff00ff00ff);
    x = (x * 100 + (x >> 16)) & UINT64_C(0x0000ffff0000ffff);
    *value = (x * 10000 + (x >> 32)) & UINT32_MAX;
    return true;
}

/* Makes `small` reach beyond `value`, if there are names enough to justify it. */
static bool make_small(ni_names *names, uint64_t value)
{
    if (value < names->smalls || value / 4 > (uint64_t)names->count + 256) return true;
    size_t room = names->smalls ? names->smalls : 1024;
    while (room <= value) room *= 2;
    uint32_t *small = ni_resize(names->small, room, sizeof *small);
    if (!small) return false;
    size_t old = names->smalls;
    memset(small + old, 0, (room - old) * sizeof *small);
    names->small = small;
    names->smalls = room;
    for (size_t i = 0; i < names->slots; i++) {
        const ni_name_slot *slot = &names->slot[i];
        if (slot->number && small_value(slot->key, slot->length, &value) && value < room)
            small[value] = slot->number;
    }
    return true;
}

static bool append(ni_names *names, const char *name, size_t length)
{
    size_t used = names->count ? (size_t)names->offset[names->count] : 0;
    if (!ni_grow(&names->offset, &names->offset_room, (size_t)names->count + 2, sizeof *names->offset) ||
        !ni_grow(&names->bytes, &names->bytes_room, used + length + 1, 1))
        return false;
    memcpy(names->bytes + used, name, length);
    names->bytes[used + length] = 0;
    names->offset[names->count++] = used;
    names->offset[names->count] = used + length + 1;
    return true;
}

uint64_t ni_names_fetch(const ni_names *names, const char *name, size_t length)
{
    uint64_t key = key_of(names, name, length), value;
    if (small_value(key, length, &value) && value < names->smalls) __builtin_prefetch(&names->small[value]);
    else if (names->slots) __builtin_prefetch(&names->slot[slot_of(names, key)]);
    return key;
}

/* Where the number of a name stands or will stand, plus 1 and 0 if it is new; NULL: no memory. */
static uint32_t *number_of(ni_names *names, const char *name, size_t length, uint64_t key)
{
    uint64_t value;
    if (small_value(key, length, &value)) {
        if (!make_small(names, value)) return NULL;
        if (value < names->smalls) return &names->small[value];
    }
    if (!make_slots(names, names->slots_used + 1)) return NULL;
    ni_name_slot *slot = seek(names, key, name, length);
    if (slot->number) return &slot->number;
    *slot = (ni_name_slot){ key, 0, (uint32_t)length };
    names->slots_used++;
    return &slot->number;
}

bool ni_names_intern_key(ni_names *names, const char *name, size_t length, uint64_t key, uint32_t *number)
{
    uint32_t *entry = length <= UINT32_MAX ? number_of(names, name, length, key) : NULL;
    if (!entry) return false;
    if (!*entry) {
        if (names->count == NI_NAMES_MOST || !append(names, name, length)) return false;
        *entry = names->count;
    }
    *number = *entry - 1;
    return true;
}

bool ni_names_intern(ni_names *names, const char *name, size_t length, uint32_t *number)
{
    return ni_names_intern_key(names, name, length, key_of(names, name, length), number);
}

bool ni_names_find_key(const ni_names *names, const char *name, size_t length, uint64_t key,
                       uint32_t *number)
{
    uint64_t value;
    uint32_t found = 0;
    if (small_value(key, length, &value) && value < names->smalls) found = names->small[value];
    else if (names->slots) found = seek(names, key, name, length)->number;
    if (found) *number = found - 1;
    return found != 0;
}

bool ni_names_find(const ni_names *names, const char *name, size_t length, uint32_t *number)
{
    return ni_names_find_key(names, name, length, key_of(names, name, length), number);
}

bool ni_names_number(ni_names *names, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        char digits[10];
        size_t at = sizeof digits;
        uint32_t value = first + i, number;
        do digits[--at] = (char)('0' + value % 10);
        while (value /= 10);
        if (!ni_names_intern(names, digits + at, sizeof digits - at, &number)) return false;
    }
    return true;
}

bool ni_names_index(ni_names *names, uint32_t *twin)
{
    ni_free(names->slot);
    ni_free(names->small);
    names->slot = NULL;
    names->small = NULL;
    names->slots = names->slots_used = names->smalls = 0;
    *twin = names->count;
    for (uint32_t i = 0; i < names->count; i++) {
        const char *name = ni_name(names, i);
        size_t length = ni_name_length(names, i);
        uint32_t *number = number_of(names, name, length, key_of(names, name, length));
        if (!number) return false;
        if (!*number) *number = i + 1;
        else if (*twin == names->count) *twin = i;
    }
    return true;
}

bool ni_names_drop(ni_names *names, uint32_t count)
{
    uint64_t from = names->offset[count];
    memmove(names->bytes, names->bytes + from, (size_t)(names->offset[names->count] - from));
    names->count -= count;
    for (uint32_t i = 0; i <= names->count; i++) names->offset[i] = names->offset[i + count] - from;
    uint32_t twin;
    return ni_names_index(names, &twin);
}

bool ni_names_copy(ni_names *to, const ni_names *from)
{
    size_t offsets = from->offset ? (size_t)from->count + 1 : 0;
    size_t used = offsets ? (size_t)from->offset[from->count] : 0;
    *to = *from;
    to->bytes_room = used;
    to->offset_room = offsets;
    to->bytes = ni_copy(from->bytes, used, 1);
    to->offset = ni_copy(from->offset, offsets, sizeof *to->offset);
    to->slot = ni_copy(from->slot, from->slots, sizeof *to->slot);
    to->small = ni_copy(from->small, from->smalls, sizeof *to->small);
    if (to->bytes && to->offset && to->slot && to->small) return true;
    ni_names_free(to);
    return false;
}
