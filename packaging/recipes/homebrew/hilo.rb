# SPDX-License-Identifier: Apache-2.0
# Homebrew on Linux: brew install --HEAD ./packaging/recipes/homebrew/hilo.rb
class Hilo < Formula
  desc "JAX and XLA in C++20"
  homepage "https://example.org/hilo"
  license "Apache-2.0"
  head "https://example.org/hilo.git", branch: "main"

  depends_on "cli11" => :build
  depends_on "cmake" => :build
  depends_on "llvm@19" => :build
  depends_on "ninja" => :build
  depends_on "pkgconf" => :build
  depends_on "python@3.13" => :build
  depends_on arch: :x86_64
  depends_on "boost"
  depends_on "fmt"
  depends_on "grpc"
  depends_on "libpng"
  depends_on :linux
  depends_on "openblas"
  depends_on "zlib"
  depends_on "zstd"

  def install
    system "cmake", "-S", ".", "-B", "build", "-G", "Ninja", "-DHILO_BUILD_TESTS=OFF", "-DHILO_BUILD_EXAMPLES=OFF",
           "-DHILO_BUILD_BENCH=OFF", *std_cmake_args
    system "cmake", "--build", "build", "--target", "hilo", "hilo_command", "hilo_companions"
    system "cmake", "--install", "build"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/hilo --version")
  end
end
