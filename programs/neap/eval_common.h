/* eval_common.h - what the commands of `neap eval` share: vectors of other tools, and where results go. */
#ifndef CLI_EVAL_COMMON_H
#define CLI_EVAL_COMMON_H

#include "args.h"
#include "common.h"
#include "progress.h"
#include "support/json.h"

/* A number measured several times: its mean and deviation (Welford's running form). */
typedef struct moments {
    uint64_t count;
    double mean, squares; /* squares: sum of squared distances from the mean */
} moments;

void moments_add(moments *m, double x);

/* The sample's deviation, with n - 1; NaN of a single number, which has none. */
double moments_std(const moments *m);

/* "  0.8812 +-0.0034", in this many columns; of a single number the first half, a dash if one of them is
 * undefined. */
enum { MOMENTS_COLUMNS = 17 };
void print_moments(const moments *m);

/* {"mean": ..., "std": ...}, std null of a single number. */
void json_moments(ni_json *j, const char *key, const moments *m);

/* The options about vectors go with --vectors, which names one file. */
neap_status check_vectors(const args *a, neap_error *err);

/* Reads vectors and reports what was found. */
neap_status read_vectors(const args *a, const char *path, const neap_graph *graph, bool allow_missing,
                         neap_vectors **out, neap_error *err);

typedef void (*print_to)(const void *user, FILE *to);

/* Keeps what `print` writes as FOLDER/NAME; folder may be NULL, and then nothing is printed. */
neap_status keep_printed(const char *folder, const char *name, print_to print, const void *user,
                         neap_error *err);

/* Prints what `print` writes on standard output, with --json, and keeps it as FOLDER/results.json; folder
 * may be NULL. */
neap_status report_json(const args *a, const char *folder, print_to print, const void *user,
                        neap_error *err);

/* Whether a method learns one vector per node; the others only score pairs. */
bool has_vectors(const char *method);

/* Whether it does so in epochs, so that there is an untrained model to compare with. */
bool learns(const char *method);

/* The options of the command line, for one method and one seed. */
neap_status options_for(const args *a, const char *method, uint64_t seed, neap_options **out,
                        neap_error *err);

/* A whole number among the options of the library. */
neap_status read_whole_option(const args *a, const char *option, uint64_t *value, neap_error *err);

/* From now on Ctrl-C ends the run at once. kept: text on what has been written until now, or "". While a
 * file is being written, interrupt_ends(NULL) makes it wait for the next call. */
void end_if_interrupted(const progress *bar, const char *kept);

/* "; about 2 min 10 s left", or "" if that is unknown or short. */
enum { LEFT_WORDS = 64 };
char *words_left(double seconds, char text[LEFT_WORDS]);

/* ---- splits ----
 *
 * The splits that `neap eval link` goes through: drawn for each ratio and seed, or found in
 * folders (--split). */
typedef struct split_item {
    char *folder; /* where it is, or is to be kept; NULL: nowhere */
    double ratio; /* in (0, 1)                                    */
    uint64_t seed;
    size_t column; /* of the table: which of the ratios */
} split_item;

typedef struct splits {
    const char *protocol, *negatives; /* of all of them */
    const char *target_kind;          /* "all", "list", "opposite" */
    const neap_targets *targets;      /* of drawn ones, or NULL */
    double valid;                     /* of drawn ones  */
    bool found;                       /* in folders     */
    bool given;                       /* in folders of others (given.h) */
    size_t kept;                      /* written so far */
    split_item *item;
    size_t count;
    double ratio[LIST_MOST]; /* in per cent, ascending if found */
    size_t ratios;
} splits;

/* ratios x seeds, from seed `first` on; kept in folders below `folder` if it is not NULL. */
neap_status splits_draw(splits *s, const double *percent, size_t ratios, uint64_t first, uint64_t seeds,
                        const char *folder, neap_error *err);

/* One more, in this folder, which is copied and may be NULL. */
neap_status splits_add(splits *s, split_item item, const char *folder, neap_error *err);

/* Calls take for each folder, or file, in a folder, in no order, until it fails. */
typedef neap_status (*splits_take)(splits *s, const char *folder, neap_error *err);
neap_status splits_each_inside(splits *s, const char *folder, splits_take take, neap_error *err);

/* The split in a folder, or all of those in folders inside it, which must be of one protocol. */
neap_status splits_find(splits *s, const char *folder, neap_error *err);
void splits_free(splits *s);

/* Loads a split, or draws it and writes it to its folder; writing is not interrupted, nor is anything
 * behind it until the caller allows that. */
neap_status splits_make(splits *s, size_t i, const neap_data *data, neap_trial **out, neap_error *err);

#endif
