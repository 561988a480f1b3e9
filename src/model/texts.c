/* Vocabulary and texts of a model. O(words of all texts + V log V); one thread. */
#include "model/texts.h"

#include <math.h>
#include <string.h>

#include "base/sys.h"
#include "support/status.h"

static const ni_option text_options[] = {
    NI_OPTION(ni_text_options, U32, min_count, "min-count", "", 0, "text", "N", "2", "1", "1", 1,
              1000000000, 1, "words that occur less often in all texts together are not read"),
    NI_OPTION(ni_text_options, REAL, max_share, "max-share", "", 0, "text", "X", "1", "1", "1", 0, 1, 1,
              "words that more than this share of the texts have are not read"),
    NI_OPTION(ni_text_options, CHOICE, stop_words, "stop-words", "", 0, "text", "none|english", "none",
              "none", "none", 0, 0, 1, "leave out the frequent function words of a language"),
    NI_OPTION(ni_text_options, U32, text_length, "text-length", "max-len", 0, "text", "N", "300", "300",
              "300", 1, 16777216, 1, "words read of a text, the first ones"),
};

const ni_option_set ni_text_set = NI_OPTION_SET(text_options);

/* ---- choosing words ---- */

static const char *const english[] = {
    "a",    "about", "after", "all",  "also", "an",    "and",    "any",  "are",   "as",    "at",
    "be",   "been",  "but",   "by",   "can",  "could", "do",     "does", "each",  "for",   "from",
    "had",  "has",   "have",  "he",   "her",  "his",   "how",    "i",    "if",    "in",    "into",
    "is",   "it",    "its",   "may",  "more", "most",  "no",     "not",  "of",    "on",    "one",
    "only", "or",    "other", "our",  "over", "she",   "should", "so",   "some",  "such",  "than",
    "that", "the",   "their", "them", "then", "there", "these",  "they", "this",  "those", "through",
    "to",   "under", "up",    "was",  "we",   "were",  "what",   "when", "which", "while", "who",
    "will", "with",  "would", "you",  "your",
};

/* By the bytes; a NUL is in no word. */
static bool is_stop_word(const char *word)
{
    for (size_t i = 0; i < sizeof english / sizeof *english; i++)
        if (!strcmp(english[i], word)) return true;
    return false;
}

static bool is_kept(const neap_text *text, const ni_text_options *o, const ni_tally *t, uint32_t i)
{
    double share = (double)t[i].documents / (double)text->facts.with_text;
    return t[i].count && t[i].count >= o->min_count && share <= o->max_share &&
           !(o->stop_words == NI_STOP_ENGLISH && is_stop_word(ni_name(&text->words, i)));
}

/* kept[i]: the number of word i of the file in the vocabulary, or NEAP_NONE. */
static neap_status choose_words(const neap_text *text, const ni_text_options *o, ni_names *words,
                                uint32_t *kept, neap_error *err)
{
    uint32_t n = 0, number;
    ni_tally *of = ni_zeros(text->words.count, sizeof *of);
    ni_frequent *list = ni_array(text->words.count, sizeof *list);
    neap_status rc = of && list ? NEAP_OK : ni_fail_memory(err, "the vocabulary");
    if (rc != NEAP_OK) goto done;
    ni_text_count(text, of);
    for (uint32_t i = 0; i < text->words.count; i++) {
        kept[i] = NEAP_NONE;
        if (is_kept(text, o, of, i)) list[n++] = (ni_frequent){ of[i].count, ni_name(&text->words, i), i };
    }
    ni_frequent_sort(list, n);
    for (uint32_t i = 0; i < n && rc == NEAP_OK; i++)
        if (ni_names_intern(words, list[i].word, strlen(list[i].word), &number))
            kept[list[i].number] = number;
        else rc = ni_fail_memory(err, "the vocabulary");
    if (rc == NEAP_OK && !n)
        rc = ni_fail(err, NEAP_E_FORMAT,
                     "none of the %u words of the texts is read; a smaller --min-count or a larger "
                     "--max-share reads more",
                     text->words.count);
done:
    ni_free(of);
    ni_free(list);
    return rc;
}

/* ---- texts ---- */

/* The kept words of one text, the first ones, to the end of t->word. */
static void take_words(ni_texts *t, const ni_text_options *o, const neap_text *text, uint32_t node,
                       const uint32_t *kept, uint64_t *end)
{
    uint64_t first = *end;
    for (uint64_t i = text->offset[node]; i < text->offset[node + 1] && *end - first < o->text_length; i++)
        if (kept[text->word[i]] != NEAP_NONE) t->word[(*end)++] = kept[text->word[i]];
}

/* documents: of the first `rows` nodes. */
static neap_status count_documents(ni_texts *t, uint32_t rows, neap_error *err)
{
    uint32_t *last = ni_zeros(t->words.count, sizeof *last);
    t->documents = ni_zeros(t->words.count, sizeof *t->documents);
    neap_status rc = last && t->documents ? NEAP_OK : ni_fail_memory(err, "the vocabulary");
    for (uint32_t u = 0; u < rows && rc == NEAP_OK; u++)
        for (uint64_t i = t->offset[u]; i < t->offset[u + 1]; i++) {
            t->documents[t->word[i]] += last[t->word[i]] != u + 1;
            last[t->word[i]] = u + 1;
        }
    ni_free(last);
    return rc;
}

neap_status ni_texts_create(const neap_text *text, const ni_text_options *o, ni_texts *t, neap_error *err)
{
    uint64_t end = 0;
    *t = (ni_texts){ .nodes = text->nodes };
    ni_names_init(&t->words);
    uint32_t *kept = ni_array(text->words.count, sizeof *kept);
    t->offset = ni_zeros((size_t)text->nodes + 1, sizeof *t->offset);
    t->word = ni_array(text->offset[text->nodes], sizeof *t->word);
    neap_status rc = kept && t->offset && t->word ? NEAP_OK : ni_fail_memory(err, "the texts");
    if (rc == NEAP_OK) rc = choose_words(text, o, &t->words, kept, err);
    for (uint32_t u = 0; u < text->nodes && rc == NEAP_OK; u++) {
        take_words(t, o, text, u, kept, &end);
        t->offset[u + 1] = end;
    }
    if (rc == NEAP_OK) rc = count_documents(t, t->nodes, err);
    ni_free(kept);
    if (rc != NEAP_OK) ni_texts_free(t);
    return rc;
}

void ni_texts_find(const ni_texts *texts, const neap_text *text, uint32_t *kept)
{
    for (uint32_t i = 0; i < text->words.count; i++)
        if (!ni_names_find(&texts->words, ni_name(&text->words, i), ni_name_length(&text->words, i),
                           &kept[i]))
            kept[i] = NEAP_NONE;
}

neap_status ni_texts_extend(const ni_texts *from, const ni_text_options *o, const neap_text *text,
                            const uint32_t *kept, const uint32_t *number, uint32_t nodes, ni_texts *t,
                            neap_error *err)
{
    uint64_t end = from->offset[from->nodes], more = text ? text->offset[text->nodes] : 0;
    *t = (ni_texts){ .nodes = nodes };
    ni_names_init(&t->words);
    t->offset = ni_zeros((size_t)nodes + 1, sizeof *t->offset);
    t->word = ni_array(end + more, sizeof *t->word);
    t->documents = ni_copy(from->documents, from->words.count, sizeof *t->documents);
    bool ok = t->offset && t->word && t->documents && ni_names_copy(&t->words, &from->words);
    if (ok) {
        memcpy(t->offset, from->offset, ((size_t)from->nodes + 1) * sizeof *t->offset);
        memcpy(t->word, from->word, end * sizeof *t->word);
        for (uint32_t u = from->nodes; u < nodes; u++) {
            uint32_t v = number[u - from->nodes];
            if (text && v != NEAP_NONE) take_words(t, o, text, v, kept, &end);
            t->offset[u + 1] = end;
        }
    } else ni_texts_free(t);
    return ok ? NEAP_OK : ni_fail_memory(err, "the texts of new nodes");
}

neap_status ni_texts_none(uint32_t nodes, ni_texts *t, neap_error *err)
{
    *t = (ni_texts){ .nodes = nodes,
                     .offset = ni_zeros((size_t)nodes + 1, sizeof *t->offset),
                     .word = ni_array(0, sizeof *t->word) };
    ni_names_init(&t->words);
    return t->offset && t->word ? NEAP_OK : ni_fail_memory(err, "the texts");
}

void ni_texts_free(ni_texts *t)
{
    ni_names_free(&t->words);
    ni_free(t->offset);
    ni_free(t->word);
    ni_free(t->documents);
    *t = (ni_texts){ 0 };
}

uint64_t ni_texts_bytes(const ni_texts *t)
{
    if (!t->offset) return 0;
    return ((uint64_t)t->nodes + 1) * sizeof *t->offset + t->offset[t->nodes] * sizeof *t->word +
           t->words.count * sizeof *t->documents + ni_names_bytes(&t->words);
}

/* ---- files ---- */

void ni_texts_to_tensors(const ni_texts *t, ni_tensors *to)
{
    if (!t->words.count) return;
    uint64_t offsets = (uint64_t)t->nodes + 1, words = t->offset[t->nodes];
    uint64_t names = (uint64_t)t->words.count + 1, bytes = t->words.offset[t->words.count];
    ni_tensors_add(to, "text.offsets", NI_U64, 1, &offsets, t->offset);
    ni_tensors_add(to, "text.words", NI_U32, 1, &words, t->word);
    ni_tensors_add(to, "vocabulary.offsets", NI_U64, 1, &names, t->words.offset);
    ni_tensors_add(to, "vocabulary.bytes", NI_U8, 1, &bytes, t->words.bytes);
}

/* Ascending from 0 to `end`. */
static bool is_offsets(const uint64_t *offset, uint64_t count, uint64_t end)
{
    for (uint64_t i = 0; i < count; i++)
        if (offset[i] > offset[i + 1]) return false;
    return offset[0] == 0 && offset[count] == end;
}

static neap_status take_vocabulary(const ni_tensors *t, ni_texts *out, neap_error *err)
{
    const ni_tensor *names = ni_tensors_find(t, "vocabulary.offsets"),
                    *bytes = ni_tensors_find(t, "vocabulary.bytes");
    const void *offset, *byte;
    uint32_t twin = 0;
    if (!names || !bytes || names->shape[0] < 2 || names->shape[0] > NI_NAMES_MOST)
        return ni_fail(err, NEAP_E_FORMAT, "the vocabulary is missing or empty");
    neap_status rc = ni_tensors_need(t, "vocabulary.offsets", NI_U64, 1, names->shape, &offset, err);
    if (rc == NEAP_OK) rc = ni_tensors_need(t, "vocabulary.bytes", NI_U8, 1, bytes->shape, &byte, err);
    if (rc != NEAP_OK) return rc;
    ni_names *w = &out->words;
    w->count = (uint32_t)(names->shape[0] - 1);
    w->offset = ni_copy(offset, w->count + 1, sizeof *w->offset);
    w->bytes = ni_copy(byte, bytes->shape[0], 1);
    w->offset_room = (size_t)w->count + 1;
    w->bytes_room = bytes->shape[0];
    if (!w->offset || !w->bytes) return ni_fail_memory(err, "the vocabulary");
    if (!is_offsets(w->offset, w->count, bytes->shape[0]))
        return ni_fail(err, NEAP_E_FORMAT, "vocabulary.offsets do not fit vocabulary.bytes");
    for (uint32_t i = 0; i < w->count; i++) {
        uint64_t size = w->offset[i + 1] - w->offset[i];
        if (size < 2 || memchr(ni_name(w, i), 0, size) != ni_name(w, i) + size - 1)
            return ni_fail(err, NEAP_E_FORMAT, "word %u of the vocabulary is no word", i);
    }
    if (!ni_names_index(w, &twin)) return ni_fail_memory(err, "the vocabulary");
    return twin == w->count ? NEAP_OK : ni_fail(err, NEAP_E_FORMAT, "the vocabulary has a word twice");
}

static neap_status take_texts(const ni_tensors *t, ni_texts *out, neap_error *err)
{
    const ni_tensor *words = ni_tensors_find(t, "text.words");
    uint64_t offsets = (uint64_t)out->nodes + 1;
    const void *offset, *word;
    if (!words) return ni_fail(err, NEAP_E_FORMAT, "tensor text.words is missing");
    neap_status rc = ni_tensors_need(t, "text.offsets", NI_U64, 1, &offsets, &offset, err);
    if (rc == NEAP_OK) rc = ni_tensors_need(t, "text.words", NI_U32, 1, words->shape, &word, err);
    if (rc != NEAP_OK) return rc;
    out->offset = ni_copy(offset, offsets, sizeof *out->offset);
    out->word = ni_copy(word, words->shape[0], sizeof *out->word);
    if (!out->offset || !out->word) return ni_fail_memory(err, "the texts");
    if (!is_offsets(out->offset, out->nodes, words->shape[0]))
        return ni_fail(err, NEAP_E_FORMAT, "text.offsets do not fit text.words");
    for (uint64_t i = 0; i < words->shape[0]; i++)
        if (out->word[i] >= out->words.count)
            return ni_fail(err, NEAP_E_FORMAT, "text.words has a word that is not in the vocabulary");
    return NEAP_OK;
}

neap_status ni_texts_from_tensors(const ni_tensors *t, uint32_t nodes, uint32_t rows, ni_texts *out,
                                  neap_error *err)
{
    *out = (ni_texts){ .nodes = nodes };
    ni_names_init(&out->words);
    neap_status rc = take_vocabulary(t, out, err);
    if (rc == NEAP_OK) rc = take_texts(t, out, err);
    if (rc == NEAP_OK) rc = count_documents(out, rows, err);
    if (rc != NEAP_OK) ni_texts_free(out);
    return rc;
}
