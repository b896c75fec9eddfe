"""Records in SQLite, MySQL and MariaDB, through SQLAlchemy Core."""
