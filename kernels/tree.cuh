// The cells of all levels in one numbering: first the base cells, then those of each higher level, every
// level in Morton order. So the children of a cell (at most eight) are consecutive, and a neighbour needs no
// search: it is a child of the parent or of one of the parent's neighbours.
#pragma once

#include "curve.cuh"

// No cell.
constexpr u32 NONE = ~0u;

// The data from which the blocks of one level are found.
struct Tree {
    const u64* keys;
    const u32* parent;
    // First child of each cell, and one bit for each of the eight that is occupied.
    const u32* first;
    const unsigned char* children;
    // The blocks of the level above, or of the level itself if `own`: the k-th cell of the block of cell
    // `from + i` is near[k * cells + i].
    const u32* near;
    u32 from, cells, own;

    // Calls visit(neighbour, x, y, z) for the occupied cells of a cell's block, by z, then y, then x, with
    // the offset of each.
    template <class Visit>
    __device__ __forceinline__ void block(u32 cell, Visit visit) const {
        const u32 octant = (u32)keys[cell] & 7;
        const u32 i = (own ? cell : parent[cell]) - from;
        for (int z = -1; z <= 1; z++) {
            for (int y = -1; y <= 1; y++) {
                for (int x = -1; x <= 1; x++) {
                    const u32 other = own ? near_of(i, x, y, z) : child(i, octant, x, y, z);
                    if (other != NONE) visit(other, x, y, z);
                }
            }
        }
    }

    __device__ __forceinline__ u32 near_of(u32 i, int x, int y, int z) const {
        return near[(size_t)slot(x, y, z) * cells + i];
    }

    // The neighbour of a child of cell `from + i`.
    __device__ __forceinline__ u32 child(u32 i, u32 octant, int x, int y, int z) const {
        // From -1 to 2, where 0 and 1 are within the parent.
        const int in_x = (int)(octant & 1) + x, in_y = (int)(octant >> 1 & 1) + y,
                  in_z = (int)(octant >> 2) + z;
        const u32 above = near_of(i, step(in_x), step(in_y), step(in_z));
        if (above == NONE) return NONE;
        const u32 bit = 1u << ((in_x & 1) | (in_y & 1) << 1 | (in_z & 1) << 2);
        const u32 there = children[above];
        return there & bit ? first[above] + __popc(there & (bit - 1)) : NONE;
    }

    static __device__ __forceinline__ int step(int in) { return (in + 2) / 2 - 1; }
    static __device__ __forceinline__ u32 slot(int x, int y, int z) {
        return (u32)((z + 1) * 9 + (y + 1) * 3 + x + 1);
    }
};
