// scenes/autoencoder/constraints.h: where autoencoder's variants cannot run, and what mends it.
#pragma once

#include <functional>
#include <vector>

#include "scenes/base/scene.h"

namespace warpscope::autoencoder {

Constraint layers_fit_grid();      // planes of the output, in grid z
Constraint columns_fit_32_bits();  // elements of all columns, counted by an int
Constraint columns_fit_memory();
Constraint step_fits_memory(std::function<std::vector<BufferSpec>(const Workload&)> scratch);
Constraint tensors_begin_aligned();  // of a library that takes weights in words of 16 bytes
Constraint one_image();              // of a step on the processor
Constraint rows_of_fours();          // 16-byte accesses along a row
Constraint tile_fits_shared();       // of shared_tile
Constraint weights_fit_constants();
Constraint block_fits();           // threads of block_shape
Constraint warpgroups_multiply();  // wgmma
Constraint even_side();            // a map after an upsampling has every row twice

}  // namespace warpscope::autoencoder
