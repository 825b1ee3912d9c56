// SPDX-License-Identifier: Apache-2.0
// examples/c/schools.rs -- the energy of examples/c/schools.c from Rust, without crates: minimises it by gradient steps
// on several threads. `rustc schools.rs -L PREFIX/lib -C link-args=-Wl,-rpath,PREFIX/lib`
use std::ffi::{CStr, CString};
use std::os::raw::{c_char, c_void};
use std::ptr::{null, null_mut};

type Pointer = unsafe extern "C" fn(*const *const c_void, *const *mut c_void, *mut c_void) -> i32;

#[link(name = "hilo")]
extern "C" {
    fn hilo_set_flag(name: *const c_char, value: *const c_char, error: *mut *mut c_char) -> i32;
    fn hilo_load(path: *const c_char, options: *const c_void, program: *mut *mut c_void, error: *mut *mut c_char) -> i32;
    fn hilo_grad(program: *const c_void, arguments: *const usize, count: usize, derivative: *mut *mut c_void,
                 error: *mut *mut c_char) -> i32;
    fn hilo_compile(program: *const c_void, options: *const c_void, function: *mut *mut c_void,
                    error: *mut *mut c_char) -> i32;
    fn hilo_function_pointer(function: *const c_void, context: *mut *mut c_void) -> Option<Pointer>;
    fn hilo_program_free(program: *mut c_void);
    fn hilo_function_free(function: *mut c_void);
    fn hilo_error_free(error: *mut c_char);
}

/// Calls a function of hilo with a place for its error.
fn good(call: impl FnOnce(*mut *mut c_char) -> i32) -> Result<(), String> {
    let mut error = null_mut();
    if call(&mut error) == 0 {
        return Ok(());
    }
    let text = if error.is_null() { "out of memory".into() } else { unsafe { CStr::from_ptr(error) }.to_string_lossy().into_owned() };
    unsafe { hilo_error_free(error) };
    Err(text)
}

/// A handle of hilo that frees itself.
struct Handle(*mut c_void, unsafe extern "C" fn(*mut c_void));
impl Drop for Handle {
    fn drop(&mut self) {
        unsafe { self.1(self.0) }
    }
}

/// Calls a function that stores a new handle.
fn made(free: unsafe extern "C" fn(*mut c_void), call: impl FnOnce(*mut *mut c_void, *mut *mut c_char) -> i32) -> Result<Handle, String> {
    let mut handle = null_mut();
    good(|error| call(&mut handle, error))?;
    Ok(Handle(handle, free))
}

/// The energy with its gradient, which several threads may call.
struct Energy {
    call: Pointer,
    context: *mut c_void,
    _function: Handle,
}
unsafe impl Sync for Energy {}

impl Energy {
    fn load(path: &str) -> Result<Energy, String> {
        let path = CString::new(path).map_err(|e| e.to_string())?;
        let first = 0usize;
        let energy = made(hilo_program_free, |p, e| unsafe { hilo_load(path.as_ptr(), null(), p, e) })?;
        let both = made(hilo_program_free, |p, e| unsafe { hilo_grad(energy.0, &first, 1, p, e) })?;
        let function = made(hilo_function_free, |p, e| unsafe { hilo_compile(both.0, null(), p, e) })?;
        let mut context = null_mut();
        let call = unsafe { hilo_function_pointer(function.0, &mut context) }.ok_or("no function")?;
        Ok(Energy { call, context, _function: function })
    }

    /// Returns the energy, and writes its gradient.
    fn at(&self, q: &[f64; 10], gradient: &mut [f64; 10]) -> f64 {
        let mut value = 0.0f64;
        let arguments = [q.as_ptr() as *const c_void];
        let results = [&mut value as *mut f64 as *mut c_void, gradient.as_mut_ptr() as *mut c_void];
        let code = unsafe { (self.call)(arguments.as_ptr(), results.as_ptr(), self.context) };
        assert_eq!(code, 0);
        value
    }
}

/// The energy after gradient steps from a start.
fn lowest(energy: &Energy, start: f64) -> f64 {
    let mut q = [start; 10];
    let mut gradient = [0.0; 10];
    for _ in 0..2000 {
        energy.at(&q, &mut gradient);
        for (x, slope) in q.iter_mut().zip(gradient) {
            *x -= 0.05 * slope;
        }
    }
    energy.at(&q, &mut gradient)
}

fn main() -> Result<(), String> {
    let (name, host) = (CString::new("jax_platform_name").unwrap(), CString::new("Host").unwrap());
    good(|e| unsafe { hilo_set_flag(name.as_ptr(), host.as_ptr(), e) })?;
    let path = std::env::args().nth(1).ok_or("wanted the path of schools.mlir")?;
    let energy = &Energy::load(&path)?;
    let ends: Vec<f64> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|k| scope.spawn(move || lowest(energy, k as f64 / 4.0))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let same = ends.iter().all(|end| (end - ends[0]).abs() < 1e-6);
    println!("lowest energy {:.4}", ends[0]);
    println!("eight schools in Rust: {}", if same { "right" } else { "wrong" });
    if same { Ok(()) } else { Err("the threads differ".into()) }
}
