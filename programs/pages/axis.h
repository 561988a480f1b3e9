/* axis.h - from values to positions in a picture, and the ticks of a scale. */
#ifndef NI_AXIS_H
#define NI_AXIS_H

#include <stdbool.h>
#include <stddef.h>

enum { NI_TICKS = 16 };

typedef struct ni_axis {
    double low, high; /* values at the two ends; low > high: nothing covered yet */
    bool log;         /* values must be above 0                                  */
    double from, to;  /* the positions of low and high                           */
    double tick[NI_TICKS];
    size_t ticks;
} ni_axis;

ni_axis ni_axis_create(bool log);

/* Widens the axis to hold a value; what no axis can hold (NaN, infinite, not above 0 if log) is ignored. */
void ni_axis_cover(ni_axis *axis, double value);

/* Whether a value can be drawn on it. */
bool ni_axis_holds(const ni_axis *axis, double value);

/* Sets round ticks, about `wanted` of them. A linear axis is widened to end at ticks, but not beyond
 * `most`; a logarithmic one gets a little air. */
void ni_axis_round(ni_axis *axis, int wanted, double most);

/* The position of a value; what lies outside is put at the nearer end. */
double ni_axis_at(const ni_axis *axis, double value);

/* A tick for people: 0.05, 70, 200k, 1.5M. */
enum { NI_TICK_BYTES = 56 };
void ni_tick_format(double value, char text[NI_TICK_BYTES]);

/* Moves ascending positions apart until neighbours keep a distance of `gap`, as little as possible, between
 * low and high; where there is no room for that, at equal distances. More than NI_PLACES stay where they
 * are. */
enum { NI_PLACES = 32 };
void ni_places_spread(double *place, size_t count, double gap, double low, double high);

#endif
