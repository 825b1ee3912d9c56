#!/bin/bash -eu
# SPDX-License-Identifier: Apache-2.0
# Builds the fuzzers of tests/fuzz into $OUT, with the compiler, flags and engine that OSS-Fuzz sets: CC, CXX, CFLAGS,
# CXXFLAGS, LIB_FUZZING_ENGINE, SRC, WORK, OUT. FUZZERS="csv npy" builds only these.
source=$SRC/hilo
# LLVM and fmt are the system's, with the C++ library of GCC.
export CXXFLAGS=${CXXFLAGS//-stdlib=libc++/}
cmake -G Ninja -S "$source" -B "$WORK/build" -DHILO_SANITIZE=address -DHILO_BUILD_TESTS=OFF -DHILO_BUILD_EXAMPLES=OFF -DHILO_BUILD_BENCH=OFF \
  -DHILO_FUZZING_ENGINE="$LIB_FUZZING_ENGINE" -DCMAKE_BUILD_RPATH='$ORIGIN/lib;$ORIGIN'
names=${FUZZERS:-$(cd "$source/tests/fuzz" && echo ./*.cc | sed 's|\./||g; s|\.cc||g')}
ninja -C "$WORK/build" hilo_companions $(printf 'fuzz_%s ' $names)

mkdir -p "$OUT/lib"
cp "$WORK"/build/lib/libhilo*.so* "$OUT/lib/"
for name in $names; do
  cp "$WORK/build/bin/fuzz/$name" "$OUT/"
  printf '[libfuzzer]\nmax_len = 65536\nmalloc_limit_mb = 256\n' > "$OUT/$name.options"
  if [ -d "$source/tests/fuzz/$name" ]; then
    (cd "$source/tests/fuzz/$name" && find . -type f -print0 | sort -z | xargs -0 zip -q -X "$OUT/${name}_seed_corpus.zip")
  fi
done
# The machine that runs the fuzzers has only the C library.
ldd "$OUT"/lib/libhilo*.so "$OUT"/${names%% *} | awk '$2 == "=>" && $3 ~ /^\// && $1 !~ /^(libc|libm|libdl|libpthread|librt|libhilo.*)\.so/ { print $3 }' |
  sort -u | xargs -I{} cp -L -n {} "$OUT/lib/"
