// Included by files *_body.hpp inside a namespace for each instruction set, with LANES (doubles a register) set: a
// register, read from any address and written to any.
using Pack = double __attribute__((vector_size(8 * LANES)));

inline Pack load(const double* from) {
  Pack value;
  __builtin_memcpy(&value, from, sizeof value);
  return value;
}
inline void store(double* to, Pack value) {
  __builtin_memcpy(to, &value, sizeof value);
}
