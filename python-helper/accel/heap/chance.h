/* Which allocations are sampled, and what each of them stands for.
 *
 * Bytes are marked by a Poisson process of one mark in `mean` bytes, for each thread apart: the distance to the next
 * mark is drawn anew after each sampled allocation, and as the exponential distribution has no memory, allocations
 * are sampled independently of each other. One of `size` bytes is sampled where at least one mark lies in it, with
 * p = 1 - exp(-size / mean). It then stands for size / p bytes and 1 / p allocations (Horvitz and Thompson), so that
 * the sums over any set of allocations are right on average whatever their sizes; (1 - p) / p^2 * size^2 is an
 * unbiased estimate of what it adds to the variance of such a sum of bytes.
 *
 * One of `mean` bytes and more is taken always, stands for itself, and adds nothing to the variance: a program has few
 * of them in proportion to what it does with them, and they are most of what it holds.
 *
 * No libm: its newer versions of exp and log are not on every board.
 */
#pragma once
#include "base.h"

enum { LEAST_MEAN = 1 << 12, MOST_MEAN = 1 << 23, USUAL_MEAN = 1 << 19, COUNT_UNIT = 256 };
#define VARIANCE_UNIT 4096.0 /* bytes^2 */

static double mean = USUAL_MEAN;
static size_t large = USUAL_MEAN; /* from there on it is taken always */

/* The `mean` of such a one. */
#define CERTAIN 0.0
static uint64_t seed; /* 0: by the clock */

/* -ln(x) for 0 < x <= 1 */
static double minus_log(double x) {
    union { double value; uint64_t bits; } u = {x};
    int exponent = (int)(u.bits >> 52) - 1022;
    u.bits = (u.bits & 0xFFFFFFFFFFFFFull) | 1022ull << 52; /* in [0.5, 1) */
    if (u.value < 0.70710678118654752) {
        u.value *= 2;
        exponent--;
    }
    double z = (u.value - 1) / (u.value + 1), square = z * z, term = z, sum = 0;
    for (int n = 1; n < 26; n += 2) {
        sum += term / n;
        term *= square;
    }
    return -(2 * sum + exponent * 0.69314718055994531);
}

/* 1 - exp(-x) for x >= 0, exact for small ones too */
static double one_less_exp(double x) {
    if (x > 40) return 1;
    int halvings = 0;
    while (x > 0.125) {
        x /= 2;
        halvings++;
    }
    double term = x, sum = 0;
    for (int n = 2; n < 16; n++) {
        sum += term;
        term *= -x / n;
    }
    while (halvings--) sum = sum * (2 - sum);
    return sum;
}

/* Where the thread's next mark is. */
static void draw(void) {
    uint64_t x = here.random;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    here.random = x;
    here.mean = mean;
    here.left = (int64_t)(minus_log((double)((mixed(x) >> 11) + 1) * 0x1p-53) * mean);
}

typedef struct { int64_t bytes, count, variance; } Weight;

/* What `part` bytes of a sampled allocation of `size` stand for. */
static Weight weight_of(uint64_t part, uint64_t size, double of) {
    double p = of == CERTAIN ? 1 : one_less_exp((double)size / of), bytes = (double)part / p;
    return (Weight){(int64_t)(bytes + 0.5), (int64_t)((double)part / (double)size * COUNT_UNIT / p + 0.5),
                    (int64_t)((1 - p) * bytes * bytes / VARIANCE_UNIT + 0.5)};
}
