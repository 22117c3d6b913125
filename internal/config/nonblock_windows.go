package config

// nonblock has no counterpart here, where no pipe has a place among the files.
const nonblock = 0
