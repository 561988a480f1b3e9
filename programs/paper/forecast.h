/* forecast.h - how long cells will take, from those that were measured. */
#ifndef NI_FORECAST_H
#define NI_FORECAST_H

#include "paper/runner.h"

/* How fast cells of one kind were. */
typedef struct ni_pace {
    const char *method;
    const ni_paper_graph *graph;
    uint32_t kernel;
    bool untrained, clean, guess;
    ni_aim aim;
    double seconds, work;
} ni_pace;

typedef struct ni_forecast {
    const ni_runner *runner; /* whose graphs tell how large they are */
    ni_pace *pace;
    size_t paces;
} ni_forecast;

void ni_forecast_free(ni_forecast *forecast);

/* A cell took so long; guess: as far as a few batches tell. NaN is not noted. */
neap_status ni_forecast_note(ni_forecast *forecast, const ni_cell *cell, double seconds, bool guess,
                             neap_error *err);

/* Whether the method of a cell was noted on its graph. */
bool ni_forecast_has(const ni_forecast *forecast, const ni_cell *cell);

/* How long a cell will take: by cells of the same method on the same graph, else on other graphs (*guess),
 * else by those of all methods (*guess); NaN without any. */
double ni_forecast_of(const ni_forecast *forecast, const ni_cell *cell, bool *guess);

/* Notes what a few batches of a training tell. What cannot be estimated is not noted;
 * NEAP_E_MEM if there is no memory. */
neap_status ni_forecast_try(ni_forecast *forecast, ni_runner *runner, const ni_cell *cell,
                            const neap_options *options, neap_error *err);

#endif
