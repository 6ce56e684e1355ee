// scenes/autoencoder/training/training_set.h: the images of a training, drawn or of files.
#pragma once

#include "scenes/training.h"

namespace warpscope::autoencoder {

// So many images of the axes' data, and behind them an eighth as many that are held out: at least a
// batch, at most a thousand. Of a folder that has test_batch.bin the latter are that file's. error:
// usage (fewer than a batch; none left to hold out), input (as read_cifar), resource (memory).
Result<TrainingSet> training_set(const Configuration& axes, std::int64_t samples);

}  // namespace warpscope::autoencoder
