/* declare.h - the tensors of a model, as its method declares them.
 *
 * A method declares the named tensors of its model, as a function of options and data. The model
 * file, the checkpoint, the memory estimate, `neap check` and `neap info` follow from that.
 *     fixed    part of the model, made once
 *     learned  part of the model, changed by steps; of the best epoch a copy is kept, and the optimiser may
 *              keep moments of it
 *     state    needed to go on with training, hence in checkpoints alone                                */
#ifndef NI_DECLARE_H
#define NI_DECLARE_H

#include "io/tensors.h"

typedef enum ni_role { NI_FIXED, NI_LEARNED, NI_STATE } ni_role;

/* What an optimiser keeps of each learned tensor: nothing, two moments of each number ("adam.NAME.m" and
 * ".v"), or one sum for each row ("adagrad.NAME"). */
typedef enum ni_moments { NI_MOMENTS_NONE, NI_MOMENTS_ADAM, NI_MOMENTS_ADAGRAD } ni_moments;

typedef struct ni_declared {
    char *name; /* owned */
    ni_type type;
    uint32_t rank;
    uint64_t shape[NI_RANK_MOST];
    ni_role role;
    void *slot; /* the address of the method's pointer to the tensor, or NULL */
    void *data; /* the tensor, once there is one */
} ni_declared;

typedef struct ni_declaration {
    ni_declared *item;
    size_t count, room;
    bool failed;             /* no memory                                                              */
    ni_moments moments;      /* of every learned tensor                                                */
    uint64_t positions;      /* an epoch of training has at most so many steps, items and updates      */
    const ni_tensors *found; /* loading: the file, where lengths that depend on data are looked up     */
    const struct ni_declaration *known; /* or another model, likewise                                  */
    bool complete; /* it is a finished model: nothing of a later part of training may lack   */
} ni_declaration;

/* Adds a tensor. slot: the address of a typed pointer, or NULL. Without memory it sets d->failed. */
void ni_declare(ni_declaration *d, const char *name, ni_role role, ni_type type, uint32_t rank,
                const uint64_t *shape, void *slot);

/* Shapes that are common: floats, rows x columns; a list of n. */
void ni_declare_matrix(ni_declaration *d, const char *name, ni_role role, uint64_t rows, uint64_t columns,
                       void *slot);
void ni_declare_list(ni_declaration *d, const char *name, ni_role role, ni_type type, uint64_t length,
                     void *slot);

/* shape[0] of the tensor of that name in the file or model that is being read; while training,
 * `otherwise`. */
uint64_t ni_declared_length(const ni_declaration *d, const char *name, uint64_t otherwise);

/* Adds the moments of all learned tensors; their slots are NULL. */
void ni_declare_moments(ni_declaration *d);

ni_declared *ni_declared_find(const ni_declaration *d, const char *name);

/* Numbers, and bytes, of one. */
uint64_t ni_declared_numbers(const ni_declared *t);
uint64_t ni_declared_bytes(const ni_declared *t);

/* Bytes of all of a role. */
uint64_t ni_declaration_bytes(const ni_declaration *d, ni_role role);

/* Stores `data`, and sets the method's pointer to it. */
void ni_declared_set(ni_declared *t, void *data);

/* Allocates all that have a slot and no data yet; zeros. */
neap_status ni_declaration_allocate(ni_declaration *d, neap_error *err);

/* Frees the names and all data. */
void ni_declaration_free(ni_declaration *d);

#endif
