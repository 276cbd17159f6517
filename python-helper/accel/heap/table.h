/* What lives of what was sampled: blocks by their address, and parts of the address space that were mapped.
 *
 * Whether an address may be among them is asked at each free(), so a filter answers that without a lock: a count for
 * each of its places, which most addresses find to be 0. Before it stands a small one, which a processor's nearest cache
 * holds beside what the program itself needs there.
 */
#pragma once
#include "log.h"

enum { BLOCKS = 96 << 10, BLOCK_PLACES = 1 << 17, SIEVE_BITS = 14, FILTER_BITS = 20, REGIONS = 1 << 14, PENDING = 64 };

typedef struct { uint64_t address, size; double mean; uint32_t stack, next_free; } Block;
/* `size` is that of the whole allocation, of which start to end is left. */
typedef struct { uint64_t start, end, size; double mean; uint32_t stack; } Region;

static Block blocks[BLOCKS] IN_PAGES;
static uint32_t block_places[BLOCK_PLACES] IN_PAGES; /* number + 1 of a block */
static uint8_t sieve[1 << SIEVE_BITS], filter[1 << FILTER_BITS] IN_PAGES;
static Region regions[REGIONS] IN_PAGES; /* by address, none overlapping */
static uint32_t block_count, blocks_used, free_block; /* number + 1 */
static int region_count, reserved_count; /* of them */
static uint32_t block_pages, region_pages; /* that were used */
static uint32_t thinner_blocks, thinner_regions; /* so full sampling is thinned out once more */
static uint64_t pending[PENDING]; /* freed where the lock could not be taken */
static int has_pending;

IN_LINE uint64_t scattered(uintptr_t address) { return (uint64_t)(address >> 4) * 0x9E3779B97F4A7C15u; }
IN_LINE uint8_t *sieve_of(uint64_t place) { return &sieve[place >> (64 - SIEVE_BITS)]; }
IN_LINE uint8_t *filter_of(uint64_t place) { return &filter[place >> (64 - FILTER_BITS)]; }
IN_LINE bool may_be_sampled(const void *p) {
    uint64_t place = scattered((uintptr_t)p);
    return RARELY(__atomic_load_n(sieve_of(place), __ATOMIC_RELAXED)) && __atomic_load_n(filter_of(place), __ATOMIC_RELAXED);
}

/* At 255 a count stays. */
static void count_up(uint8_t *count) {
    if (*count != 255) __atomic_store_n(count, *count + 1, __ATOMIC_RELAXED);
}

static void count_down(uint8_t *count) {
    if (*count != 255) __atomic_store_n(count, *count - 1, __ATOMIC_RELAXED);
}
static uint32_t block_place(uint64_t address) { return (uint32_t)(scattered(address) >> 40) & (BLOCK_PLACES - 1); }

/* Where it is in block_places, or the free place where it would be. */
static uint32_t find_block(uint64_t address) {
    uint32_t at = block_place(address);
    while (block_places[at] && blocks[block_places[at] - 1].address != address) at = (at + 1) & (BLOCK_PLACES - 1);
    return at;
}

/* The fuller the tables, the less is sampled: what is there already keeps the mean it was taken with. */
static void thin_out(uint32_t used, uint32_t room, uint32_t *next) {
    if (used < room / 2 || used < *next) return;
    *next = used + room / 8;
    if (mean < (1 << 26)) mean *= 2;
    large = (size_t)mean;
    HEAD->last_mean = (int64_t)mean;
    flag(SPARSER);
}

static bool add_block(const Block *b) {
    uint32_t at = find_block(b->address);
    if (block_places[at]) return false;
    uint32_t number = free_block;
    if (number) {
        free_block = blocks[number - 1].next_free;
    } else if (blocks_used < BLOCKS) {
        number = ++blocks_used;
        take_up_to(&block_pages, number * sizeof(Block));
    } else {
        flag(TABLE_FULL);
        return false;
    }
    blocks[number - 1] = *b;
    block_places[at] = number;
    uint64_t place = scattered(b->address);
    count_up(filter_of(place));
    count_up(sieve_of(place));
    thin_out(++block_count, BLOCKS, &thinner_blocks);
    return true;
}

static bool take_block(uint64_t address, Block *taken) {
    uint32_t at = find_block(address), number = block_places[at];
    if (!number) return false;
    *taken = blocks[number - 1];
    blocks[number - 1].next_free = free_block;
    free_block = number;
    block_count--;
    uint64_t place = scattered(address);
    count_down(sieve_of(place));
    count_down(filter_of(place));
    for (uint32_t hole = at;;) { /* what came after it and belongs before the hole moves up */
        block_places[hole] = 0;
        for (;;) {
            at = (at + 1) & (BLOCK_PLACES - 1);
            if (!block_places[at]) return true;
            uint32_t wanted = block_place(blocks[block_places[at] - 1].address);
            if (((at - wanted) & (BLOCK_PLACES - 1)) >= ((at - hole) & (BLOCK_PLACES - 1))) break;
        }
        block_places[hole] = block_places[at];
        hole = at;
    }
}

/* The `mean` of a region that nobody may use yet: it weighs nothing. */
#define RESERVED (-1.0)

/* What is there of a region is charged, and charged back. Of reservations there are some before there is a log. */
static void charge_region(const Region *r) {
    if (r->mean != RESERVED) charge(r->stack, weight_of(r->end - r->start, r->size, r->mean));
}

static void charge_region_back(const Region *r) {
    if (r->mean != RESERVED) charge_back(r->stack, weight_of(r->end - r->start, r->size, r->mean));
}

/* The first region that ends after `address`. */
static int region_at(uint64_t address) {
    int low = 0, high = region_count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (regions[middle].end <= address) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* Reservations have a quarter of the table, as they are no samples: they make those no rarer, and one that there is no room
 * for is none that is missing. */
static bool add_region(const Region *r) {
    int at = region_at(r->start);
    bool is_reserved = r->mean == RESERVED;
    if (region_count == REGIONS || (is_reserved && reserved_count == REGIONS / 4)) {
        if (!is_reserved) flag(TABLE_FULL);
        return false;
    }
    memmove(&regions[at + 1], &regions[at], (size_t)(region_count - at) * sizeof(Region));
    regions[at] = *r;
    take_up_to(&region_pages, (size_t)(region_count + 1) * sizeof(Region));
    region_count++;
    reserved_count += is_reserved;
    if (!is_reserved) thin_out((uint32_t)(region_count - reserved_count), REGIONS, &thinner_regions);
    return true;
}

static void remove_region(int at) {
    reserved_count -= regions[at].mean == RESERVED;
    memmove(&regions[at], &regions[at + 1], (size_t)(--region_count - at) * sizeof(Region));
}

/* start to end is mapped no more. What is left of a region keeps its stack; of its variance it keeps its share, though
 * the parts of one sampled allocation are there or not together. */
static void forget_range(uint64_t start, uint64_t end) {
    int at = region_at(start);
    while (at < region_count && regions[at].start < end) {
        Region *r = &regions[at], before = *r;
        charge_region_back(r);
        uint64_t from = start > r->start ? start : r->start, to = end < r->end ? end : r->end;
        if (from > before.start && to < before.end) { /* a hole in it */
            r->end = from;
            charge_region(r);
            before.start = to;
            if (add_region(&before)) charge_region(&before);
            return;
        }
        if (from > before.start) r->end = from;
        else r->start = to;
        if (r->start < r->end) {
            charge_region(r);
            at++;
        } else {
            remove_region(at);
        }
    }
}

/* A region that is there on both sides of `address` becomes two. */
static void split_at(uint64_t address) {
    int at = region_at(address);
    if (at == region_count || regions[at].start >= address) return;
    Region *r = &regions[at], after = *r;
    charge_region_back(r);
    r->end = after.start = address;
    charge_region(r);
    if (add_region(&after)) charge_region(&after);
}

/* What was mapped at `from` lies at `to` now. mremap may be given a part of a region. */
static void move_range(uint64_t from, uint64_t size, uint64_t to) {
    if (!size) return; /* what it made is a second one */
    split_at(from);
    split_at(from + size);
    for (;;) {
        int at = region_at(from);
        if (at == region_count || regions[at].start >= from + size) return;
        Region moved = regions[at];
        remove_region(at);
        moved.start += to - from;
        moved.end += to - from;
        if (!add_region(&moved)) charge_region_back(&moved);
    }
}
