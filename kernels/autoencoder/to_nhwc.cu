// kernels/autoencoder/to_nhwc.cu: channels are brought to the inside: [outer, channels, inner] to
// [outer, inner, channels].
//
// For maps inner is a plane's pixels, for weights the nine of a filter. It is prepared, before the
// time begins.

extern "C" __global__ void __launch_bounds__(256)
    to_nhwc(const float* __restrict__ from,  // [outer, channels, inner]
            float* __restrict__ to,          // [outer, inner, channels]
            long long count, int channels, int inner) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const long long outer = i / channels / inner;
  to[i] = from[(outer * channels + i % channels) * inner + i / channels % inner];
}
