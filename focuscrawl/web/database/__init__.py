"""Database of the web views' own tables: accounts, likes, saved searches, schedules and alarms."""
