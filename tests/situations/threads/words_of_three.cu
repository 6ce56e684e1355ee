// tests/situations/threads/words_of_three.cu: each thread reads the three bytes that are its own as one word.
#include <cuda_runtime.h>

__global__ void first_words(const char* text, unsigned* words, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const char* own = text + 3 * i;
  words[i] = *reinterpret_cast<const unsigned*>(own) & 0xffffff;
}

int main() {
  int count = 512;
  char* text;
  unsigned* words;
  cudaMalloc(&text, 3 * count + 1);
  cudaMalloc(&words, count * sizeof(unsigned));
  first_words<<<count / 128, 128>>>(text, words, count);
  cudaDeviceSynchronize();
}
