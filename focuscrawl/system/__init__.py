"""The operating system: processes, durable and user files, standard output, machine faults."""
