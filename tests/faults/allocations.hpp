// Allocations that fail when a test wants them to. This program's operator new, in all its forms, and the malloc family
// where object code of this program calls it (the linker's --wrap; the static library is part of the program) count the
// requests made on any thread, and refuse them from a given one on. Shared libraries' own malloc is left alone: a BLAS
// that gets no memory ends the process, and that is not ours to change.
#pragma once

namespace faults {

enum class Until { once, for_good };  // the k-th request alone, or it and all that follow

// What operator new throws when it refuses; malloc and the forms with nothrow answer NULL.
enum class Thrown { bad_alloc, number, text, exception, nothing_known };

enum class Where { anywhere, elsewhere };  // elsewhere: on other threads than the one that arms; no others are counted

// The k-th request from now on is refused; 0: none is, requests are only counted. again > 0: after one that is refused
// once, the again-th request is, too.
void arm(long k, Until until = Until::once, Thrown thrown = Thrown::bad_alloc, long again = 0,
         Where where = Where::anywhere);

struct Outcome {
  long requests = 0, refused = 0;
};

// The end of it.
Outcome disarm();

// How many blocks of operator new live now.
long live_blocks();

// Whether the library is one with AddressSanitizer, whose objects the tests' own need not be: several times as slow.
bool sanitized();

}  // namespace faults
