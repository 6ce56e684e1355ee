// scenes/autoencoder/training/training_set.h: the images of a training, drawn or from files.
#pragma once

#include "scenes/training.h"

namespace warpscope::autoencoder {

// `samples` images of the data that the axes name, followed by an eighth as many that are held out:
// at least one batch, at most a thousand. If a folder has test_batch.bin, the held-out images come
// from that file. error: usage (fewer than a batch; none left to hold out), input (as read_cifar),
// resource (memory).
Result<TrainingSet> training_set(const Configuration& axes, std::int64_t samples);

}  // namespace warpscope::autoencoder
